import {
  age,
  COUNTED,
  EACH_MODE,
  MOST_ROWS,
  madeAt,
  series,
} from '../../../../persistence/measurement.js';
import { counter, gauge } from '../../../../platform/metric.js';
import type { Measurement } from '../../../../platform/module-declaration.js';
import { MODES } from '../../../../shared/caller.js';

export const ATTEMPTS = counter({
  name: 'tillgate_webhook_attempts_total',
  help:
    'Attempts to deliver a webhook, by outcome: `delivered` (2xx), `retried` (failed, with ' +
    'another attempt later), `given_up` (the last attempt failed), `gone` (410), `canceled` (not ' +
    'attempted, because the endpoint is deleted or disabled).',
  labels: { mode: MODES, outcome: ['delivered', 'retried', 'given_up', 'gone', 'canceled'] },
});

/** A first attempt is stored as due at -infinity, so its delivery counts as due since the event. */
const SUMS = `WITH unfinished AS (
    SELECT mode, next_attempt_at <= statement_timestamp() AS is_due,
      greatest(next_attempt_at, ${madeAt('event_id')}) AS since
    FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL LIMIT ${MOST_ROWS}
  ), sums AS (
    SELECT mode, count(*) FILTER (WHERE is_due) AS due, count(*) FILTER (WHERE NOT is_due) AS later,
      min(since) FILTER (WHERE is_due) AS oldest
    FROM unfinished RIGHT JOIN ${EACH_MODE} USING (mode) GROUP BY mode
  )`;

export const DELIVERY_MEASUREMENT: Measurement = {
  name: 'webhooks.measure',
  text: `/* every organization: counts all unfinished deliveries */ ${SUMS}
    ${series('deliveries', { mode: 'mode', state: `'due'` }, 'due', 'sums')}
    UNION ALL ${series('deliveries', { mode: 'mode', state: `'later'` }, 'later', 'sums')}
    UNION ALL ${series('oldest', { mode: 'mode' }, age('oldest'), 'sums')}`,
  gauges: {
    deliveries: gauge({
      name: 'tillgate_webhook_deliveries',
      help:
        'Unfinished deliveries: `due` now, or `later` (they wait for another attempt, or an ' +
        `attempt is under way). ${COUNTED}`,
      labels: { mode: MODES, state: ['due', 'later'] },
      aggregator: 'first',
    }),
    oldest: gauge({
      name: 'tillgate_webhook_oldest_due_seconds',
      help: 'How long the oldest due delivery has been due; 0 when none is due.',
      labels: { mode: MODES },
      aggregator: 'first',
    }),
  },
};
