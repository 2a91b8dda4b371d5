import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import type { MovedClock } from '../../../../shared/clock.js';
import { FIRST_UUID, idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { ownId } from '../../../../shared/own-id.js';
import { Approvals, type OverdueApproval } from '../../application/ports.js';
import { REFUND_ID } from '../../domain/refund-state.js';
import { WAITING } from './refund.record.js';

/** $2 and $3 are the last one that was found before. */
const overdue = (own: string, ahead: string) => `SELECT organization_id AS organization, mode, id,
    approval_expires_at::text AS "expiresAt" FROM refunds
  WHERE ${own} ${WAITING} AND approval_expires_at <= statement_timestamp() + make_interval(secs => ${ahead})
    AND (approval_expires_at, id) > ($2, $3) ORDER BY approval_expires_at, id LIMIT $1`;
const OVERDUE = {
  name: 'refunds.overdue_approvals',
  text: `/* every organization: approvals of all of them expire */ ${overdue('', '0')}`,
};
const OVERDUE_OF_ONE = {
  name: 'refunds.overdue_approvals_of_one',
  text: overdue('organization_id = $4 AND mode = $5 AND', '$6'),
};

@Injectable()
export class PostgresApprovals extends Approvals {
  constructor(private readonly database: Database) {
    super();
  }

  async overdue(limit: number, after?: OverdueApproval, clock?: MovedClock): Promise<OverdueApproval[]> {
    const page = [limit, after?.expiresAt ?? '-infinity', after ? uuidOf(after.id) : FIRST_UUID];
    const own = clock && [uuidOf(clock.organization), clock.mode, clock.ahead / 1000];
    const found = own
      ? this.database.read<OverdueApproval>(clock, OVERDUE_OF_ONE, [...page, ...own])
      : this.database.read<OverdueApproval>({ queue: OVERDUE.name }, OVERDUE, page);
    return (await found).map(({ organization, mode, id, expiresAt }) => {
      return {
        organization: idOf(ORGANIZATION_ID, organization),
        mode,
        expiresAt,
        id: ownId({ mode }, idOf(REFUND_ID, id, mode)),
      };
    });
  }
}
