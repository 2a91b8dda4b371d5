/** The published client gets prepared answers in the place of a network. */
import { type ClientOptions, Tillgate } from '../../client/src/index.js';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly key: string | undefined;
  readonly actor: string | undefined;
  readonly body: string | undefined;
}

/**
 * Returns a client, and what it sent. Its requests get the answers one after the other, and the
 * last one from then on.
 */
export function clientOf(
  answers: readonly (() => Response | Promise<Response>)[],
  options: Partial<ClientOptions> = {},
) {
  const sent: Sent[] = [];
  const fetch: NonNullable<ClientOptions['fetch']> = async (
    url,
    { method = '', headers, body } = {},
  ) => {
    const answer = answers[Math.min(sent.length, answers.length - 1)] as (typeof answers)[number];
    const { 'idempotency-key': key, 'tillgate-actor': actor } = headers as Record<string, string>;
    sent.push({ url: String(url), method, key, actor, body: body as string | undefined });
    return answer();
  };
  return {
    tillgate: new Tillgate({ baseUrl: 'https://pay.example', key: 'sk_test_x', fetch, ...options }),
    sent,
  };
}

export const html =
  (status: number, headers = {}) =>
  () =>
    new Response('<h1>Sorry</h1>', { status, headers });
export const json =
  (status: number, body: unknown, headers = {}) =>
  () =>
    Response.json(body, { status, headers });
export const refused = (status: number, code: string, nextStep: string, headers = {}) =>
  json(status, envelope(code, nextStep), headers);
export const done = json(201, { id: 'cs_test_1' });

function envelope(code: string, type: string) {
  const next_step = { type, path: '/v1/checkout_sessions', method: 'POST' };
  return {
    request_id: 'req_1',
    error: { type: 'x', message: 'No.', param: '', errors: [], next_step, code },
  };
}

export const thrownBy = (sending: Promise<unknown>) =>
  sending.then(String, (error: unknown) => error);
