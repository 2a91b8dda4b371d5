/**
 * Finds the resources of an organization that can be requested, drawn as the load drew them:
 * finding them warms no page.
 */

import type { Client as Sql } from 'pg';
import { CHECKOUT_SESSION_ID } from '../../src/modules/checkout/domain/checkout-session.js';
import { EVENT_ID } from '../../src/modules/events/domain/event.js';
import { PAYMENT_ID } from '../../src/modules/payments/domain/payment.js';
import { REFUND_ID } from '../../src/modules/refunds/domain/refund-state.js';
import { idOf, uuidOf } from '../../src/shared/id.js';
import type { Shop } from '../servers.js';
import { drawn, everySmall, type Step } from './drawn.js';

export const PAGE_SIZE = 25;
const DEEP_PAGE = 1_000;
const DRAWN = 8_000;

export interface Samples {
  readonly sessions: readonly string[];
  readonly references: readonly string[];
  /** These payments are not refunded. */
  readonly payments: readonly string[];
  readonly refundedPayments: readonly string[];
  readonly refunds: readonly string[];
  /** The items of page 1,000, or of the last full page if there are fewer, come after this one. */
  readonly deepSession: string;
  readonly deepExpired: string;
  readonly deepEvent: string;
  readonly deepPageNumber: number;
}

interface Drawn {
  readonly number: string;
  readonly session_id: string;
  readonly payment_id: string;
  readonly refund_id: string;
  readonly is_paid: boolean;
  readonly is_refunded: boolean;
}

type Size = 'big' | 'small';

export async function drawSamples(sql: Sql, step: Step, size: Size, shop: Shop): Promise<Samples> {
  const rows = await drawnOf(sql, step, size);
  const paid = rows.filter(({ is_paid }) => is_paid);
  const refunded = rows.filter(({ is_refunded }) => is_refunded);
  const ofSessions = `checkout_sessions WHERE organization_id = $1 AND mode = 'test'`;
  const deep = await deepItem(sql, shop, ofSessions);
  return {
    references: rows.map(({ number }) => `order-${number}`),
    sessions: rows.map(({ session_id }) => idOf(CHECKOUT_SESSION_ID, session_id, 'test')),
    payments: paid
      .filter(({ is_refunded }) => !is_refunded)
      .map(({ payment_id }) => idOf(PAYMENT_ID, payment_id, 'test')),
    refundedPayments: refunded.map(({ payment_id }) => idOf(PAYMENT_ID, payment_id, 'test')),
    refunds: refunded.map(({ refund_id }) => idOf(REFUND_ID, refund_id, 'test')),
    deepSession: idOf(CHECKOUT_SESSION_ID, deep.id, 'test'),
    deepExpired: idOf(
      CHECKOUT_SESSION_ID,
      (await deepItem(sql, shop, `${ofSessions} AND status = 'expired'`)).id,
      'test',
    ),
    deepEvent: idOf(
      EVENT_ID,
      (await deepItem(sql, shop, `events WHERE organization_id = $1 AND mode = 'test'`)).id,
    ),
    deepPageNumber: Math.floor(deep.place / PAGE_SIZE) + 1,
  };
}

/**
 * Returns all sessions of the small organization, or those of the big one among some thousand
 * numbers.
 */
async function drawnOf(sql: Sql, step: Step, size: Size): Promise<Drawn[]> {
  const every = everySmall(step.rows);
  const numbers =
    size === 'small'
      ? `generate_series(${every}::bigint, ${step.rows}, ${every})`
      : `(SELECT DISTINCT 1 + floor(random() * ${step.rows})::bigint AS number FROM generate_series(1, ${DRAWN}))`;
  const place = size === 'small' ? 1 : 0;
  const { rows } = await sql.query<Drawn>(
    `SELECT number, session_id, payment_id, refund_id, is_paid, is_refunded FROM (${drawn(step, numbers)}) AS drawn
     WHERE tenant = ${place} ORDER BY random()`,
  );
  return rows;
}

async function deepItem(
  sql: Sql,
  { organization }: Shop,
  from: string,
): Promise<{ id: string; place: number }> {
  const newest = `SELECT id FROM ${from} ORDER BY id DESC LIMIT ${(DEEP_PAGE - 1) * PAGE_SIZE}`;
  const { rows } = await sql.query<{ id: string; place: number }>(
    `SELECT id, (count(*) OVER ())::int - ${PAGE_SIZE + 1} AS place FROM (${newest}) AS newest
     ORDER BY id OFFSET ${PAGE_SIZE + 1} LIMIT 1`,
    [uuidOf(organization)],
  );
  if (!rows[0]) throw new Error(`There are no two pages in ${from}.`);
  return rows[0];
}
