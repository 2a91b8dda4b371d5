import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction, type Write } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import { AwaitPayment, CheckoutSessionQueries } from '../../checkout/index.js';
import { Captures } from './captures.js';
import { type DueTransfer, PendingTransfers } from './ports.js';

const DAY_MS = 24 * 60 * 60_000;
const ARRIVES_MS = 2 * DAY_MS;
const AWAITED_MS = 7 * DAY_MS;

/** The bank transfers of the pretend payer. */
@Injectable()
export class BankTransfers {
  constructor(
    private readonly awaitPayment: AwaitPayment,
    private readonly pending: PendingTransfers,
    private readonly sessions: CheckoutSessionQueries,
    private readonly captures: Captures,
    private readonly clock: CallerClock,
  ) {}

  /** Makes the session wait for a transfer, in the open transaction. Refuses as AwaitPayment does. */
  async begin(caller: Caller, session: OwnId): Promise<readonly Write[]> {
    const { now } = await this.clock.at(caller);
    const awaited = { until: Math.floor((now + AWAITED_MS) / 1000), reason: 'bank transfer' };
    const { writes } = await this.awaitPayment.execute(caller, session, awaited).decide();
    await this.pending.add(caller, session, new Date(now + ARRIVES_MS));
    return writes;
  }

  /** Records the payment, as the ledger does, unless the session was paid or waits no longer. */
  receive({ caller, session }: DueTransfer): Decision<null> {
    return inTransaction(caller, async () => {
      const isTaken = await this.pending.take(caller, session);
      const { state } = await this.sessions.get(caller, session);
      const isAwaited = state.status !== 'complete' && state.originalExpiresAt !== null;
      return decided(null, ...(isTaken && isAwaited ? await this.captures.record(caller, state) : []));
    });
  }
}
