import { uuidOf } from '../../src/shared/id.js';
import type { Service } from '../kit/service.js';

/** Ends the lease of the refund, and the wait after it. */
export const lapse = (service: Service, id: string): Promise<unknown> =>
  service.sql.query(
    `UPDATE refunds SET claim_expires_at = now() - interval '1 second', claimable_at = now()
     WHERE id = $1`,
    [uuidOf(id)],
  );

/** Matches the end of a lease of so many seconds that began between `before` and now. */
export const leaseEnd = (seconds: number, before: number) => ({
  asymmetricMatch: (at: unknown) =>
    Number(at) - seconds >= before && Number(at) - seconds <= Date.now() / 1000 + 1,
});
