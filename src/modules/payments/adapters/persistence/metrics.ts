import { COUNTED, EACH_MODE, MOST_ROWS, series } from '../../../../persistence/measurement.js';
import type { Measurement } from '../../../../platform/facts.js';
import { gauge } from '../../../../platform/metric.js';
import { MODES } from '../../../../shared/caller.js';

const SUMS = `WITH on_hold AS MATERIALIZED (
    SELECT mode, currency, amount_on_hold FROM payments WHERE amount_on_hold > 0 LIMIT ${MOST_ROWS}
  ), counts AS (
    SELECT mode, count(currency) AS payments FROM on_hold RIGHT JOIN ${EACH_MODE} USING (mode) GROUP BY mode
  ), sums AS (
    SELECT mode, currency, sum(amount_on_hold) AS amount FROM on_hold GROUP BY mode, currency
  )`;

export const PAYMENT_MEASUREMENT: Measurement = {
  name: 'payments.measure',
  text: `/* every organization: counts all payments on hold */ ${SUMS}
    ${series('payments', { mode: 'mode' }, 'payments', 'counts')}
    UNION ALL ${series('amount', { mode: 'mode', currency: 'currency' }, 'amount', 'sums')}`,
  gauges: {
    payments: gauge({
      name: 'tillgate_payments_on_hold',
      help: `Payments with an amount on hold. ${COUNTED}`,
      labels: { mode: MODES },
      aggregator: 'first',
    }),
    amount: gauge({
      name: 'tillgate_payments_on_hold_amount',
      help: 'Sum of the amounts on hold, in the minor unit of the currency.',
      labels: { mode: MODES, currency: 'the currency of a payment on hold, such as `usd`' },
      aggregator: 'first',
    }),
  },
};
