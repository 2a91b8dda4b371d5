import { age, COUNTED, EACH_MODE, MOST_ROWS, madeAt, series } from '../../../../platform/database/measurement.js';
import { facts, type Measurement } from '../../../../platform/facts.js';
import { counter, gauge } from '../../../../platform/metric.js';
import { MODES } from '../../../../shared/caller.js';

export const RECORDED = counter({
  name: 'tillgate_events_total',
  help: 'Events that were recorded, by their type: what became of each kind of resource.',
  labels: { mode: MODES, type: facts.eventTypes },
});

export const ATTEMPTS = counter({
  name: 'tillgate_webhook_attempts_total',
  help: 'Attempts to deliver a webhook by what followed: `delivered` by a 2xx; `retried` later; `given_up` after the last attempt; `gone` by a 410; `canceled` without an attempt, because the endpoint is deleted or disabled.',
  labels: { mode: MODES, outcome: ['delivered', 'retried', 'given_up', 'gone', 'canceled'] },
});

/** A first attempt is due at any time, so its delivery waits since its event happened. */
const SUMS = `WITH on_its_way AS (
    SELECT mode, next_attempt_at <= statement_timestamp() AS is_due,
      greatest(next_attempt_at, ${madeAt('event_id')}) AS since
    FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL LIMIT ${MOST_ROWS}
  ), sums AS (
    SELECT mode, count(*) FILTER (WHERE is_due) AS due, count(*) FILTER (WHERE NOT is_due) AS later,
      min(since) FILTER (WHERE is_due) AS oldest
    FROM on_its_way RIGHT JOIN ${EACH_MODE} USING (mode) GROUP BY mode
  )`;

export const EVENT_MEASUREMENT: Measurement = {
  name: 'events.measure',
  text: `/* every organization: what is on its way to all of them is counted */ ${SUMS}
    ${series('deliveries', { mode: 'mode', state: `'due'` }, 'due', 'sums')}
    UNION ALL ${series('deliveries', { mode: 'mode', state: `'later'` }, 'later', 'sums')}
    UNION ALL ${series('oldest', { mode: 'mode' }, age('oldest'), 'sums')}`,
  gauges: {
    deliveries: gauge({
      name: 'tillgate_webhook_deliveries',
      help: `Deliveries on their way: \`due\` now, or \`later\`, which wait for another attempt or have one under way. ${COUNTED}`,
      labels: { mode: MODES, state: ['due', 'later'] },
      aggregator: 'first',
    }),
    oldest: gauge({
      name: 'tillgate_webhook_oldest_due_seconds',
      help: 'For how long the delivery that waits the longest has been due; 0 when none is due.',
      labels: { mode: MODES },
      aggregator: 'first',
    }),
  },
};
