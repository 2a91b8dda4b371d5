import {
  age,
  COUNTED,
  EACH_MODE,
  MOST_ROWS,
  madeAt,
  series,
} from '../../../../persistence/measurement.js';
import { gauge } from '../../../../platform/metric.js';
import type { Measurement } from '../../../../platform/module-declaration.js';
import { MODES, type Mode } from '../../../../shared/caller.js';
import { STUCK_CLAIMS } from '../../domain/refund-state.js';
import { PAYABLE } from './refund.record.js';

/** A refund that a payment provider has may be leased for weeks, so it does not count as late. */
const oldest = (mode: Mode) =>
  `SELECT '${mode}' AS mode, (
      SELECT id FROM refunds WHERE mode = '${mode}' AND ${PAYABLE}
        AND (provider_reference IS NULL
          OR coalesce(claim_expires_at <= statement_timestamp(), true))
      ORDER BY id LIMIT 1) AS id`;

const SUMS = `WITH pending AS MATERIALIZED (
    SELECT mode, currency, amount, claim_number,
      coalesce(claim_expires_at > statement_timestamp(), false) AS is_claimed
    FROM refunds WHERE ${PAYABLE} LIMIT ${MOST_ROWS}
  ), sums AS (
    SELECT mode,
      count(*) FILTER (WHERE is_claimed) AS claimed,
      count(*) FILTER (WHERE NOT is_claimed) AS unclaimed,
      count(*) FILTER (WHERE claim_number >= ${STUCK_CLAIMS}) AS stuck
    FROM pending RIGHT JOIN ${EACH_MODE} USING (mode) GROUP BY mode
  ), held AS (
    SELECT mode, currency, sum(amount) AS amount FROM pending GROUP BY mode, currency
  ), first AS (
    ${MODES.map(oldest).join(' UNION ALL ')}
  )`;

export const REFUND_MEASUREMENT: Measurement = {
  name: 'refunds.measure',
  text: `/* every organization: counts all pending refunds */ ${SUMS}
    ${series('pending', { mode: 'mode', claimed: `'yes'` }, 'claimed', 'sums')}
    UNION ALL ${series('pending', { mode: 'mode', claimed: `'no'` }, 'unclaimed', 'sums')}
    UNION ALL ${series('stuck', { mode: 'mode' }, 'stuck', 'sums')}
    UNION ALL ${series('amount', { mode: 'mode', currency: 'currency' }, 'amount', 'held')}
    UNION ALL ${series('oldest', { mode: 'mode' }, age(madeAt('id')), 'first')}`,
  gauges: {
    pending: gauge({
      name: 'tillgate_refunds_pending',
      help:
        'Pending refunds that wait for no approval. `claimed` is `yes` if a worker has a ' +
        `live claim on the refund. ${COUNTED}`,
      labels: { mode: MODES, claimed: ['yes', 'no'] },
      aggregator: 'first',
    }),
    stuck: gauge({
      name: 'tillgate_refunds_stuck',
      help: `Pending refunds that were claimed ${STUCK_CLAIMS} times or more. ${COUNTED}`,
      labels: { mode: MODES },
      aggregator: 'first',
    }),
    oldest: gauge({
      name: 'tillgate_refunds_oldest_pending_seconds',
      help:
        'How long ago the oldest pending refund was proposed, without those that wait for ' +
        'approval, or are leased and have a `provider_reference`; 0 when there is none.',
      labels: { mode: MODES },
      aggregator: 'first',
    }),
    amount: gauge({
      name: 'tillgate_refunds_pending_amount',
      help:
        'Sum of the amounts of pending refunds that wait for no approval, in the minor unit of ' +
        'the currency.',
      labels: { mode: MODES, currency: 'the currency of a pending refund, such as `usd`' },
      aggregator: 'first',
    }),
  },
};
