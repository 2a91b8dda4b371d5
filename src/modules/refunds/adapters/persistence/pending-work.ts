import type { JobWork } from '../../../../platform/module-declaration.js';
import { WAITING } from './refund.record.js';

/** Approvals that nobody decided in time expire by real time. */
export const APPROVAL_WORK: JobWork = {
  job: 'expire_approvals',
  pending: `SELECT FROM refunds WHERE ${WAITING}
    AND approval_expires_at <= statement_timestamp() ORDER BY approval_expires_at LIMIT 1`,
};
