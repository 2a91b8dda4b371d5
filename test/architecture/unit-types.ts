/**
 * These wrong uses of a unit must not compile: `npm run check` fails if the compiler accepts one.
 */
import type { Payment, Payments } from '../../src/modules/payments/index.js';
import type { Claims, Refunds } from '../../src/modules/refunds/application/ports.js';
import type { Refund } from '../../src/modules/refunds/domain/refund.js';
import type { Caller, Ledger } from '../../src/shared/caller.js';
import type { OwnId } from '../../src/shared/own-id.js';
import type { LedgerUnit, Unit } from '../../src/shared/unit.js';

declare const ports: {
  readonly refunds: Refunds;
  readonly payments: Payments;
  readonly claims: Claims;
};

export async function uses(
  unit: Unit,
  ledgerUnit: LedgerUnit,
  caller: Caller,
  ledger: Ledger,
  refund: Refund,
  id: OwnId,
) {
  const { refunds, payments, claims } = ports;
  // A read takes a caller or a unit, because a unit is a caller.
  const found: Refund = await refunds.get(caller, id);
  const again: Refund = await refunds.get(unit, id);
  // @ts-expect-error: a write needs a unit.
  refunds.add(caller, refund);
  // @ts-expect-error: a lock needs a unit too.
  const locked: Payment = await payments.lock(caller, id);
  // @ts-expect-error: an object that resembles a unit is none.
  refunds.add({ ...caller, now: 0, ahead: 0, afterCommit: () => undefined }, refund);
  // @ts-expect-error: the unit of a ledger cannot write a resource of an organization.
  refunds.add(ledgerUnit, refund);
  claims.store(unit, [refund]);
  // @ts-expect-error: a ledger is no unit.
  claims.store(ledger, [refund]);
  // @ts-expect-error: a write returns nothing that a caller could forget to use.
  const write: object = refunds.add(unit, refund);
  return [found, again, locked, write];
}
