/** Sends the requests of the drill itself to Tillgate, which meet no fault. */
import { randomUUID } from 'node:crypto';

// biome-ignore lint/suspicious/noExplicitAny: bodies of several resources are read by name.
export type Json = any;

export interface Answer {
  readonly status: number;
  /** The body, which is a page of HTML if it is text. */
  readonly body: Json;
  /** This is the value of Retry-After, in seconds. */
  readonly retryAfter?: number;
}

export async function send(url: string, key: string, body?: object): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const response = await fetch(
    url,
    body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
  );
  return { status: response.status, body: await response.json() };
}

/** Sends a request that cannot be refused. */
export async function demand(url: string, key: string, body?: object): Promise<Json> {
  const answer = await send(url, key, body);
  if (answer.status < 300) return answer.body;
  throw new Error(`Tillgate answered ${url} with ${answer.status}: ${JSON.stringify(answer.body)}`);
}

/** Works on a few items at once. The results have the order of the items. */
export async function each<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}
