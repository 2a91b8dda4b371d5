import type { Shop } from './shop.js';

/** These resources of a shop have every state that they can have, and their books balance. */
export interface Books {
  readonly shop: Shop;
  /**
   * This payment of 50.00 has 10.00 refunded, 5.00 pending and 7.00 on hold. `untouched` has no
   * refund and no hold.
   */
  readonly payment: string;
  readonly untouched: string;
  readonly succeeded: string;
  readonly paidSession: string;
  readonly sessionPayment: string;
  readonly openSession: string;
}

/** Makes one resource in every state that it can have, without a difference. */
export async function keepBooks(shop: Shop): Promise<Books> {
  const [payment, untouched] = [(await shop.record()).body.id, (await shop.record()).body.id];
  const [succeeded, failed, canceled] = await Promise.all(
    [1000, 100, 200].map((amount) => shop.propose(payment, amount)),
  );
  const returned = (await shop.propose(payment, 300)).body.id;
  await shop.succeed(returned);
  await shop.return(returned);
  await shop.hold(payment, { amount: 700 });
  await shop.releaseHold((await shop.hold(payment, { amount: 50 })).body.id);
  await shop.succeed(succeeded?.body.id);
  await shop.fail(failed?.body.id);
  await shop.cancel(canceled?.body.id);
  await shop.propose(payment, 500);
  await shop.claim();
  const [paid, open, expired] = await Promise.all([1, 2, 3].map(() => shop.createSession()));
  const recorded = await shop.record({ amount: 1000, checkout_session: paid?.body.id });
  await shop.expire(expired?.body.id);
  const sessions = { paidSession: paid?.body.id, openSession: open?.body.id };
  return {
    shop,
    payment,
    untouched,
    succeeded: succeeded?.body.id,
    sessionPayment: recorded.body.id,
    ...sessions,
  };
}
