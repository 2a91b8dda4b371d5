/** A step of the model's sequences is on one resource, and is compared with the model. */
import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { Client } from 'pg';
import type { Reply } from './client.js';
import type { Model } from './model.js';
import type { Expected } from './model-answers.js';
import { owned, type Shop } from './shop.js';

export const HOUR = 3600;

/** The real service stands beside the model, in one mode. */
export interface Real {
  readonly shop: Shop;
  readonly sql: Client;
  /** The count of writes makes their keys, which are those of the other mode too. */
  writes: number;
  /** The writes so far are kept, so that a step can send them again. */
  readonly sent: { readonly send: () => Promise<Reply>; readonly reply: Reply }[];
}

type Kind = 'sessions' | 'payments' | 'refunds' | 'holds';
export type Command = fc.AsyncCommand<Model, Real>;
export type Work = (model: Model, real: Real) => Promise<void>;

/** The amounts are small, so that payments run dry and amounts meet exactly. */
export const amounts = fc.integer({ min: 1, max: 4 });
export const picks = fc.nat({ max: 99 });

export const always = (name: string, run: Work): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

/** Makes a step on one of the resources, which is left out if there are none. */
export function onOne(
  name: string,
  kind: Kind,
  pick: number,
  work: (picked: string, ...given: Parameters<Work>) => Promise<void>,
): Command {
  return {
    check: (model) => model[kind].length > 0,
    run: (model, real) => work(model[kind][pick % model[kind].length].id, model, real),
    toString: () => `${name} ${pick}`,
  };
}

export const found = (model: Model, kind: Kind, id: string) =>
  model[kind].find((one) => one.id === id);

/**
 * Sends a write under a key that is new in its mode, and compares the answer with the one that the
 * model expects.
 */
export async function write(
  real: Real,
  send: (key: string) => Promise<Reply>,
  expected: Expected,
): Promise<Reply> {
  const key = `write-${++real.writes}`;
  const reply = await send(key);
  expect({ status: reply.status, body: reply.body }).toEqual(expected);
  real.sent.push({ send: () => send(key), reply });
  return reply;
}

export const ofLedger = ({ shop }: Real, { status, body }: Expected): Expected =>
  status < 300
    ? { status, body: { ...owned(shop.organization, body as never), reference: null } }
    : { status, body };

/**
 * Expects that the resource was made now, by the clock of the shop or, for the ledger, in real
 * time. A slow machine makes no difference.
 */
export function adopt(
  kind: Kind,
  model: Model,
  { status, body: { organization, reference: _, ...body } }: Reply,
): void {
  if (status !== 201) return;
  const { created } = body;
  model[kind].push(created === undefined ? body : { ...body, created: expect.any(Number) });
  const now = organization === undefined ? model.now() : Date.now() / 1000;
  expect(Math.abs((created ?? body.created_at) - now)).toBeLessThan(HOUR / 2);
}

export async function readBack(
  kind: Kind,
  id: string,
  model: Model,
  { shop }: Real,
): Promise<void> {
  const path = kind === 'sessions' ? 'checkout_sessions' : kind;
  expect((await shop.get(`/v1/${path}/${id}`)).body).toEqual(found(model, kind, id));
}

/**
 * Makes a step of a refund, which is sent as it is decided, and compares the refund and its payment
 * afterwards.
 */
export const move = (
  name: string,
  pick: number,
  work: (refund: string, ...given: Parameters<Work>) => Promise<unknown>,
) =>
  onOne(name, 'refunds', pick, async (id, model, real) => {
    await work(id, model, real);
    await readBack('refunds', id, model, real);
    await readBack('payments', found(model, 'refunds', id).payment, model, real);
    const seen = (await real.shop.ledgerGet(`/ledger/v1/refunds/${id}`)).body;
    expect(seen).toEqual(model.owned(found(model, 'refunds', id)));
  });
