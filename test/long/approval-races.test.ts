/**
 * Several requests decide a waiting refund at once on two processes, one of which may be killed
 * meanwhile. The answers and the events must be possible in one order of the requests.
 */
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { useService } from '../kit/setup.js';
import type { Reply } from '../support/client.js';
import { type Server, serve } from '../support/processes.js';
import { atOnce } from '../support/races.js';
import { expectBalanced } from '../support/reconciled.js';
import { useProcesses } from '../support/setup.js';
import { Shop } from '../support/shop.js';
import { createKey } from '../support/tenants.js';

const RACES = 1000;
const AT_ONCE = 25;
const DAY = 24 * 3600;
const KILLS = 2;

const service = useService();
const processes = useProcesses(service);

interface State {
  readonly status: string;
  readonly approval: string;
  readonly isClaimed: boolean;
  readonly isLate: boolean;
  readonly events: readonly string[];
}
/**
 * Returns the state after the step, or undefined if the step would have been answered otherwise.
 */
type Step = (state: State) => State | undefined;

const START: State = {
  status: 'pending',
  approval: 'waiting',
  isClaimed: false,
  isLate: false,
  events: ['refund.created'],
};
const isWaiting = ({ status, approval }: State) => status === 'pending' && approval === 'waiting';
const codeOf = ({ status, body }: Reply): string => (status === 200 ? 'done' : body.error.code);
const becomes = (state: State, change: Partial<State>, event: string): State => {
  return {
    ...state,
    ...change,
    isClaimed: state.isClaimed && change.status === undefined,
    events: [...state.events, event],
  };
};
/** A request that was not answered may have had this answer. */
const UNANSWERED = { status: 200, body: { data: [null] } } as Reply;
const onlyIf = (isRight: boolean, state: State) => (isRight ? state : undefined);

function decide(
  reply: Reply,
  word: 'approved' | 'rejected',
  change: Partial<State>,
  event: string,
): Step {
  return (state) => {
    if (state.approval === word) return onlyIf(codeOf(reply) === 'done', state);
    const isPossible = isWaiting(state) && !state.isLate;
    if (isPossible)
      return codeOf(reply) === 'done'
        ? becomes(state, { approval: word, ...change }, event)
        : undefined;
    return onlyIf(codeOf(reply) === 'refund_not_pending', state);
  };
}

const cancel =
  (reply: Reply): Step =>
  (state) => {
    const code =
      state.status !== 'pending'
        ? 'refund_not_pending'
        : state.isClaimed
          ? 'refund_in_progress'
          : 'done';
    if (codeOf(reply) !== code) return undefined;
    const approval = state.isLate && isWaiting(state) ? 'expired' : state.approval;
    return code === 'done'
      ? becomes(state, { status: 'canceled', approval }, 'refund.canceled')
      : state;
  };

const succeed =
  (reply: Reply): Step =>
  (state) => {
    const isPending = state.status === 'pending';
    if (
      codeOf(reply) !== (isPending || state.status === 'succeeded' ? 'done' : 'refund_not_pending')
    )
      return undefined;
    return isPending ? becomes(state, { status: 'succeeded' }, 'refund.succeeded') : state;
  };

/** A claim skips a refund that another request has locked. */
const claim =
  ({ body }: Reply): Step =>
  (state) => {
    if (body.data.length === 0) return state;
    return state.status === 'pending' && state.approval === 'approved'
      ? { ...state, isClaimed: true }
      : undefined;
  };

const late: Step = (state) => ({ ...state, isLate: true });
const expire: Step = (state) =>
  state.isLate && isWaiting(state)
    ? becomes(state, { status: 'canceled', approval: 'expired' }, 'refund.canceled')
    : state;

/**
 * Returns every state in which these steps can end, in any order. The steps of `perhaps` may also
 * be left out.
 */
function endings(steps: readonly Step[], perhaps: readonly Step[]): State[] {
  const all = [...steps, ...perhaps];
  const reached = Array.from({ length: 2 ** all.length }, () => new Map<string, State>());
  reached[0]?.set('', START);
  for (const [done, states] of reached.entries()) {
    for (const [at, step] of all.entries()) {
      const next = reached[done | (1 << at)];
      if (next === states) continue;
      for (const state of states.values())
        for (const after of [step(state), at < steps.length ? undefined : state])
          if (after) next?.set(JSON.stringify(after), after);
    }
  }
  return [...(reached.at(-1)?.values() ?? [])];
}

/** Returns how many requests a killed process did not answer. They are sent again. */
async function race(number: number, ledgerKey: string, begins = () => {}): Promise<number> {
  const owner = await Shop.open(service, { ledgerKey });
  const holder = async (name: string, right: 'propose' | 'approve') =>
    owner.as(
      await createKey(service, { organization: owner.organization, holder: name, rights: [right] }),
    );
  const [bot, ana, ben] = [
    await holder('bot', 'propose'),
    await holder('ana', 'approve'),
    await holder('ben', 'approve'),
  ];
  const payment = await owner.capture();
  const { id } = (await bot.propose(payment, 500)).body;
  const [one, other] = processes as [Server, Server];
  const requests: readonly [() => Promise<Reply>, (reply: Reply) => readonly Step[]][] = [
    [
      () => ana.at(one).approve(id, 500),
      (reply) => [decide(reply, 'approved', {}, 'refund.approved')],
    ],
    [
      () => ben.at(other).reject(id),
      (reply) => [decide(reply, 'rejected', { status: 'canceled' }, 'refund.canceled')],
    ],
    [() => bot.at(one).cancel(id), (reply) => [cancel(reply)]],
    [() => owner.at(other).claim(), (reply) => [claim(reply)]],
    [() => owner.at(one).succeed(id), (reply) => [succeed(reply)]],
    [
      () => owner.at(other).post('/v1/test_helpers/clock', { advance_seconds: 14 * DAY }),
      () => [late, expire],
    ],
  ];
  // Each race leaves some requests out, so that none of them is always the last.
  const racing = requests.filter((_, place) => (number >> place) % 2 === 0 || number % 7 === 0);
  const unanswered = new Set<number>();
  const attempts = racing.map(
    ([request], place) =>
      () =>
        request().catch((error: Error) => {
          unanswered.add(place);
          throw new TypeError('fetch failed', { cause: error });
        }),
  );
  begins();
  const replies = await atOnce(attempts, number);
  const perhaps = [...unanswered].flatMap((place) => racing[place]?.[1](UNANSWERED) ?? []);
  const steps = racing.flatMap(([, stepsOf], place) => stepsOf(replies[place] as Reply));
  const said = replies.map(({ status, text }) => `${status} ${text}`).join('\n');
  const { status } = (await owner.get(`/v1/refunds/${id}`)).body;
  const { state: approval } = (await owner.get(`/v1/refunds/${id}/approval`)).body;
  const events = await owner.eventsOf(id);
  expect(events.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
    events.map((_: unknown, at: number) => at + 1),
  );
  const found = { status, approval, events: events.map(({ type }: { type: string }) => type) };
  const possible = endings(steps, perhaps).map(({ status, approval, events }) => ({
    status,
    approval,
    events,
  }));
  if (!possible.some((one) => JSON.stringify(one) === JSON.stringify(found)))
    throw new Error(`No order of these leads to ${JSON.stringify(found)}:\n${said}`);
  return unanswered.size;
}

/** Runs races while one of the processes is killed and started again. */
async function racesWithKill(kill: number, ledgerKey: string): Promise<number> {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const races = Array.from({ length: AT_ONCE }, (_, index) =>
    race(kill * AT_ONCE + index, ledgerKey, resolve),
  );
  const restart = async () => {
    await begun;
    await setTimeout(Math.random() * 200);
    const place = kill % processes.length;
    const { stop, url } = processes[place] as Server;
    await stop('SIGKILL');
    processes[place] = await serve(service.databaseUrl, new URL(url).port);
  };
  const [unanswered] = await Promise.all([Promise.all(races), restart()]);
  return unanswered.reduce((sum, count) => sum + count, 0);
}

test(`${RACES} races of approve, reject, cancel, claim, succeed and expiry each end as in one order`, async () => {
  const { ledgerKey } = await Shop.open(service);
  for (let start = 0; start < RACES; start += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => race(start + index, ledgerKey)),
    );
  await expectBalanced(service);
});

test('races end as in one order while a process is killed', async () => {
  const { ledgerKey } = await Shop.open(service);
  let unanswered = 0;
  for (let kill = 0; kill < KILLS; kill++) unanswered += await racesWithKill(kill, ledgerKey);
  expect(unanswered).toBeGreaterThan(0);
  await expectBalanced(service);
});
