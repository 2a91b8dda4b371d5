import type { JobWork } from '../../../../platform/module-declaration.js';

/** Transfers of the pretend payer arrive by real time. */
export const TRANSFER_WORK: JobWork = {
  job: 'receive_transfers',
  pending: `SELECT FROM late_payments WHERE due_at <= statement_timestamp()
    ORDER BY due_at LIMIT 1`,
};
