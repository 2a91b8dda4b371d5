/**
 * Finds out what a key may do. Tillgate has no call that tells, so it is sent writes that are
 * refused in any case: a missing right is refused before a wrong body is.
 */
import { type Tillgate, TillgateError } from '../../client/src/index.js';

const NO_REFUND = 're_none';

const WRITES = {
  sessions: ({ checkoutSessions }: Tillgate) => checkoutSessions.create({} as never),
  propose: ({ refunds }: Tillgate) => refunds.propose({} as never),
  approve: ({ refunds }: Tillgate) => refunds.approve(NO_REFUND, {} as never),
};

export type Right = keyof typeof WRITES;

/** No agent works with this key. */
export class UnfitKey extends Error {}

const MAY_APPROVE =
  'The key has the right approve: its refunds would wait for nobody. Give an agent another key.';

/**
 * Rejects if Tillgate does not answer. Rejects with UnfitKey if Tillgate does not know the key, or
 * if the key may approve.
 */
export async function rightsOf(tillgate: Tillgate): Promise<ReadonlySet<Right>> {
  const all = Object.keys(WRITES) as Right[];
  const answers = await Promise.all(all.map((right) => has(right, tillgate)));
  const rights = new Set(all.filter((_, place) => answers[place]));
  if (rights.has('approve')) throw new UnfitKey(MAY_APPROVE);
  return rights;
}

async function has(right: Right, tillgate: Tillgate): Promise<boolean> {
  try {
    await WRITES[right](tillgate);
    return true;
  } catch (error) {
    if (!(error instanceof TillgateError)) throw error;
    if (error.code === 'right_missing') return false;
    if (error.status === 401) throw new UnfitKey(error.message);
    if (error.status === 400 || error.status === 404) return true;
    throw error;
  }
}
