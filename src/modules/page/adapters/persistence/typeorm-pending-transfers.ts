import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { scopeOf } from '../../../../persistence/rows.js';
import type { Caller } from '../../../../shared/caller.js';
import type { MovedClock } from '../../../../shared/clock.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type OwnId, ownId } from '../../../../shared/own-id.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import { type DueTransfer, PendingTransfers } from '../../application/ports.js';
import { LatePaymentRecord } from './late-payment.record.js';

@Injectable()
export class TypeormPendingTransfers extends PendingTransfers {
  constructor(private readonly database: Database) {
    super();
  }

  async add(caller: Caller, session: OwnId, dueAt: Date): Promise<void> {
    const row = { ...keyOf(caller, session), dueAt };
    await this.database.repository(LatePaymentRecord).createQueryBuilder().insert().values(row).orIgnore().execute();
  }

  async take(caller: Caller, session: OwnId): Promise<boolean> {
    const { affected } = await this.database.repository(LatePaymentRecord).delete(keyOf(caller, session));
    return affected === 1;
  }

  async due(limit: number, after?: DueTransfer, clock?: MovedClock): Promise<DueTransfer[]> {
    const rows = await this.database.reading(clock ?? { queue: 'page.due_transfers' }, (manager) => {
      const query = manager.createQueryBuilder(LatePaymentRecord, 'late');
      query.where('late.due_at <= now() + make_interval(secs => :ahead)', { ahead: (clock?.ahead ?? 0) / 1000 });
      if (clock) query.andWhere(scopeOf(clock));
      else query.comment('every organization: transfers to all of them arrive');
      if (after) query.andWhere('late.session_id > :after', { after: uuidOf(after.session) });
      return query.orderBy('late.session_id').limit(limit).getMany();
    });
    return rows.map(({ organizationId, mode, session }) => {
      const caller = { organization: idOf(ORGANIZATION_ID, organizationId), mode };
      return { caller, session: ownId(caller, idOf(CHECKOUT_SESSION_ID, session, mode)) };
    });
  }
}

const keyOf = (caller: Caller, session: OwnId) => ({
  ...scopeOf(caller),
  mode: 'test' as const,
  session: uuidOf(session),
});
