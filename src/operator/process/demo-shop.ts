import { createHash } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CheckoutSessionQueries, CreateCheckoutSession, PageLinks } from '../../modules/checkout/index.js';
import { Database } from '../../persistence/database.js';
import { PublicUrl } from '../../request/public-url.js';
import type { Caller } from '../../shared/caller.js';

const THANKS = '/demo/thanks';

/** Creates the order and returns the URL of its payment page, or undefined without a PublicUrl. */
export async function demoPage(application: INestApplicationContext, caller: Caller): Promise<string | undefined> {
  const { value: url } = application.get(PublicUrl);
  if (url === undefined) return undefined;
  const line = (productName: string, quantity: number, unitPrice: number) => ({
    productName,
    quantity,
    unitPrice,
    currency: 'usd',
  });
  const input = {
    currency: 'usd',
    amountShipping: 490,
    lineItems: [line('T-shirt', 2, 1299), line('Mug', 1, 900)],
    successUrl: `${url}${THANKS}`,
    description: 'The order of the demo',
  };
  const create = application.get(CreateCheckoutSession);
  const session = await application.get(Database).commit(() => create.execute(caller, input));
  return application.get(PageLinks).urlOf(caller.organization, session.state.id);
}

export async function openPage(application: INestApplicationContext, caller: Caller): Promise<string | undefined> {
  const newest = { status: 'open', from: undefined, to: undefined, limit: 1, cursor: undefined } as const;
  const { items } = await application.get(CheckoutSessionQueries).list(caller, newest);
  return items[0] && application.get(PageLinks).urlOf(caller.organization, items[0].id);
}

const STYLE =
  ':root{color-scheme:light dark}body{margin:20vh auto;max-width:24rem;padding:0 1rem;font:1rem/1.5 system-ui}';
const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Thank you</title><style>${STYLE}</style></head>
<body><main><h1>Thank you!</h1>
<p>This is the page of the shop that the customer comes back to. The order is paid, and the shop was told by a webhook
if it gave a <code>notify_url</code>.</p>
<p>Next: <a href="/docs">the API’s reference</a>, and the commands that the server has printed.</p></main></body></html>
`;
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
};

/** Must be called before the application listens. */
export function serveDemoShop(application: NestFastifyApplication): void {
  const server = application.getHttpAdapter().getInstance();
  server.get(THANKS, (_request, reply) => reply.headers(HEADERS).send(PAGE));
}
