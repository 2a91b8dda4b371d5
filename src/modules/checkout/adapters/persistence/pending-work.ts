import type { JobWork } from '../../../../platform/module-declaration.js';
import { isOverdue } from './checkout-session-statements.js';

/** Open sessions are overdue by real time. */
export const SESSION_WORK: JobWork = {
  job: 'expire_sessions',
  pending: `SELECT FROM checkout_sessions WHERE ${isOverdue('0')}
    ORDER BY expires_at LIMIT 1`,
};
