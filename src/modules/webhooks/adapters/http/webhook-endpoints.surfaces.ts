import { applyDecorators, Controller } from '@nestjs/common';
import { LedgerKey } from '../../../../request/credential.js';
import { Tag } from '../../../../request/operation.js';
import { withOrganization } from '../../../../request/schema.js';
import { WEBHOOK_ENDPOINT_FACTS } from '../../facts.js';
import { ENDPOINT, LEDGER_ENDPOINT, type webhookEndpointView } from '../representation/webhook-endpoints.views.js';

type View = Pick<ReturnType<typeof webhookEndpointView>, 'id' | 'object'>;

/** What differs between the endpoints of an organization and those of the ledger. */
export interface Surface {
  readonly path: string;
  readonly Serving: () => ClassDecorator;
  readonly owner: string;
  readonly organizations: string;
  readonly as: string;
  readonly operation: (verb: string, suffix?: string) => string;
  readonly schemas: typeof ENDPOINT;
  readonly shown: <Shown extends View>(view: Shown) => Shown;
}

const { secret, ledger } = WEBHOOK_ENDPOINT_FACTS;

export const OF_ORGANIZATION: Surface = {
  path: secret.path,
  Serving: () =>
    applyDecorators(
      Controller(secret.path),
      Tag('Webhook endpoints', 'URLs to which the events of your organization are sent.'),
    ),
  owner: 'your organization',
  organizations: 'your organization',
  as: '',
  operation: (verb, suffix = '') => `${verb}WebhookEndpoint${suffix}`,
  schemas: ENDPOINT,
  shown: (view) => view,
};

export const OF_LEDGER: Surface = {
  path: ledger.path,
  Serving: () =>
    applyDecorators(
      Controller(ledger.path),
      LedgerKey(),
      Tag('Ledger: webhook endpoints', 'URLs to which the events of all organizations are sent.'),
    ),
  owner: 'the ledger',
  organizations: 'every organization',
  as: ' as the ledger',
  operation: (verb, suffix = '') => `${verb}LedgerWebhookEndpoint${suffix}`,
  schemas: LEDGER_ENDPOINT,
  shown: (view) => withOrganization(null, view),
};
