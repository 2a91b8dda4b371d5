import {
  constant,
  id,
  nullable,
  ORGANIZATION,
  object,
  text,
  timestamp,
  type ValueOf,
} from '../../../../request/schema.js';
import { CHECKOUT_SESSION_ID, type CheckoutSessionState } from '../../../checkout/index.js';

const OBJECT = constant('checkout.page', 'Object type.');
const SESSION = id(CHECKOUT_SESSION_ID, 'ID of the session.');
const URL = text(
  'URL of the page on which the customer pays. Anyone with the URL can see the order.',
  {
    format: 'uri',
    examples: ['https://pay.example/c/jm3K0b'],
  },
);
const EMBED_URL = nullable(
  text(
    'URL of the page to show in a frame of your own page; null unless `ui_mode` is `embedded`.',
    {
      format: 'uri',
    },
  ),
);
const EXPIRES_AT = timestamp(
  'When the session expires if it is not paid, in Unix seconds.',
  1_763_786_400,
);

export const CHECKOUT_PAGE = object(
  {
    object: OBJECT,
    checkout_session: SESSION,
    url: URL,
    embed_url: EMBED_URL,
    expires_at: EXPIRES_AT,
  },
  { name: 'CheckoutPage', description: 'The page on which a customer pays a session.' },
);

const PAYMENT_URL = text('URL to which the page sends the customer to pay.', {
  format: 'iri',
  examples: ['https://psp.example/pay/4711?return={RETURN_URL}'],
});
const LEDGER_FIELDS = {
  object: OBJECT,
  organization: ORGANIZATION,
  checkout_session: SESSION,
  url: nullable(URL),
  embed_url: EMBED_URL,
  expires_at: EXPIRES_AT,
  payment_url: nullable(PAYMENT_URL),
};
const DESCRIPTION = 'The page on which a customer pays a session, with its payment URL.';

export const LEDGER_PAGE = object(LEDGER_FIELDS, { name: 'LedgerPage', description: DESCRIPTION });

export const LEDGER_CHECKOUT_PAGE = object(
  { ...LEDGER_FIELDS, payment_url: PAYMENT_URL },
  { name: 'LedgerCheckoutPage', description: DESCRIPTION },
);

export function pageView(
  session: CheckoutSessionState,
  url: string,
): ValueOf<typeof CHECKOUT_PAGE> {
  return { object: 'checkout.page', ...fieldsOf(session, url) };
}

export function ledgerPageView(
  session: CheckoutSessionState,
  url: string | undefined,
  { organization, paymentUrl }: { organization: string; paymentUrl: string | null },
): ValueOf<typeof LEDGER_PAGE> {
  return {
    object: 'checkout.page',
    organization,
    ...fieldsOf(session, url ?? null),
    payment_url: paymentUrl,
  };
}

function fieldsOf<Url extends string | null>(
  { id, uiMode, expiresAt }: CheckoutSessionState,
  url: Url,
) {
  const embedUrl = uiMode === 'embedded' && url !== null ? `${url}/embed` : null;
  return { checkout_session: id, url, embed_url: embedUrl, expires_at: expiresAt };
}
