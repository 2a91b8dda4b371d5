/** Checkout sessions in every state that a test may need. */
import { uuidOf } from '../../src/shared/id.js';
import { post, SMALLEST } from './client.js';
import { capture, type Service, type Tenant } from './service.js';

/** Creates an open session and returns its id. */
export async function createSession({ url }: Service, key: string, changes: object = {}): Promise<string> {
  const { status, body, text } = await post(`${url}/v1/checkout_sessions`, { key, body: { ...SMALLEST, ...changes } });
  if (status !== 201) throw new Error(text);
  return body.id;
}

/** A session that was paid. */
export async function createPaidSession(service: Service, tenant: Tenant): Promise<string> {
  const id = await createSession(service, tenant.test);
  await capture(service, tenant, { amount: 1000, session: id });
  return id;
}

/** Moves the session's end into the past, as if its time had passed and no sweeper had been by. */
export async function letTimeRunOut({ sql }: Service, id: string): Promise<void> {
  await sql.query(`UPDATE checkout_sessions SET expires_at = now() - interval '1 second' WHERE id = $1`, [uuidOf(id)]);
}

/** Stores the end, as the sweeper does. */
export async function settleExpired({ sql }: Service, id: string): Promise<void> {
  await sql.query(`UPDATE checkout_sessions SET status = 'expired' WHERE id = $1`, [uuidOf(id)]);
}

/** The smallest body with the value at this path; undefined leaves the field out. */
export function bodyWith(path: string, value: unknown): unknown {
  const body = structuredClone(SMALLEST) as Record<string, unknown>;
  const steps = path.split(/[.[\]]+/).filter(Boolean);
  const last = steps.pop() as string;
  // biome-ignore lint/suspicious/noExplicitAny: what is at the path is the test's business.
  const parent = steps.reduce<any>((at, step) => {
    at[step] ??= step === 'images' ? [] : {};
    return at[step];
  }, body);
  parent[last] = value;
  return body;
}

/** Changes that make a session about as large as a body may be: 14 lines with eight images each, 226 KiB. */
export const LARGE = {
  line_items: Array.from({ length: 14 }, (_, line) => ({
    price_data: {
      currency: 'usd',
      unit_amount: 1000,
      product_data: {
        name: `Book ${line}`,
        images: Array.from({ length: 8 }, () => `https://img.example/${'x'.repeat(2_000)}`),
      },
    },
  })),
};
