import type { JobWork } from '../../../../platform/module-declaration.js';

/** Deliveries are polled while one is unfinished, although its next attempt may be far away. */
export const DELIVERY_WORK: JobWork = {
  job: 'deliver_webhooks',
  pending: `SELECT FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL
    ORDER BY organization_id LIMIT 1`,
};
