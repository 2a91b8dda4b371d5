/** Webhooks of an organization follow the moved clock of its test mode. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { verifyWebhook } from '../../client/src/index.js';
import { ManageOrganizations } from '../../src/modules/access/index.js';
import { MAX_ATTEMPTS } from '../../src/modules/webhooks/domain/schedule.js';
import { useService, useShop } from '../kit/setup.js';
import type { Reply } from '../support/client.js';
import { until } from '../support/processes.js';
import { answer } from '../support/receiver.js';
import { expectBalanced } from '../support/reconciled.js';
import { useReceiver } from '../support/setup.js';
import { Shop } from '../support/shop.js';

const CLOCK = '/v1/test_helpers/clock';
const HOUR = 3600;
const DAY = 24 * HOUR;

const config = { webhookAllowPrivate: true, publicUrl: 'https://pay.example' };
const service = useService({ config });
const shop = useShop(service);
const receiver = useReceiver();

afterEach(() => expectBalanced(service));

const seconds = () => Math.floor(Date.now() / 1000);
const BEGAN = seconds();
const read = async (at: Shop = shop) => (await at.get(CLOCK)).body;
const advance = (by: number, at: Shop = shop) => at.post(CLOCK, { advance_seconds: by });

/** Expects that every time from the work lies between the moved clock before it and after it. */
async function expectNow(work: () => Promise<number | number[]>, ahead: number): Promise<void> {
  const before = seconds();
  for (const shown of [await work()].flat()) {
    expect(shown).toBeGreaterThanOrEqual(before + ahead);
    expect(shown).toBeLessThanOrEqual(seconds() + ahead);
  }
}

describe('webhooks of an organization whose clock is moved', () => {
  const scheduled = [
    0,
    5,
    5 * 60,
    30 * 60,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ];
  const attemptsAt = (event: string): Promise<Reply['body'][]> => shop.deliveriesOf(event);

  /**
   * Expects each attempt a pause of the schedule after the one before. The pause may differ by a
   * tenth, and by the time that the machine took.
   */
  function expectSchedule(attempts: readonly Reply['body'][]): void {
    expect(attempts.map(({ attempt }) => attempt)).toEqual(scheduled.map((_, index) => index + 1));
    attempts.slice(1).forEach(({ attempted_at: at }, index) => {
      const { attempted_at: before, next_attempt_at: due } = attempts[index];
      const pause = scheduled[index + 1] as number;
      expect(at - before).toBeGreaterThanOrEqual(Math.floor(pause * 0.9) - 1);
      expect(at - before).toBeLessThanOrEqual(Math.ceil(pause * 1.1) + 1 + seconds() - BEGAN);
      expect(at - Number(due)).toBeLessThanOrEqual(seconds() - BEGAN);
    });
    expect(attempts.at(-1)?.next_attempt_at).toBeNull();
  }

  async function refusedSession(): Promise<string> {
    receiver.behave(answer(500));
    const { event } = await shop.notified(receiver.url);
    await until(
      async () => (await attemptsAt(event)).length === 1,
      'the first attempt is recorded',
    );
    return event;
  }

  test('are not sent twice while a delivery is under way', async () => {
    let held: (() => void) | undefined;
    receiver.behave((response) => {
      held = () => void response.writeHead(204).end();
    });
    const { event } = await shop.notified(receiver.url);
    await until(() => held !== undefined);
    const moving = advance(DAY / 2);
    await until(async () => (await read()).ahead_seconds > 0);
    held?.();
    expect((await moving).status).toBe(200);
    expect(await attemptsAt(event)).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });

  test('are attempted ten times at their times in one step over the whole schedule', async () => {
    const event = await refusedSession();
    expect((await advance(5 * DAY)).status).toBe(200);
    expectSchedule(await attemptsAt(event));
    expect(receiver.received.filter(({ id }) => id === event)).toHaveLength(MAX_ATTEMPTS);
  });

  test('move by the seconds of the step itself, not by those of the step before', async () => {
    await advance(HOUR);
    const event = await refusedSession();
    // The second attempt is due after five seconds, and the third one five minutes later.
    await advance(60);
    expect(await attemptsAt(event)).toHaveLength(2);
  });

  test('are signed with the real time, which their receiver compares', async () => {
    await advance(DAY);
    const before = seconds();
    const { event: id } = await shop.notified(receiver.url);
    const received = () => receiver.received.find((webhook) => webhook.id === id);
    await until(() => received() !== undefined);
    const { headers, text: body } = received() ?? { headers: {}, text: '' };
    const [secret = ''] = await service.application
      .get(ManageOrganizations)
      .webhookSecrets(shop.organization);
    const event = await verifyWebhook({ body, headers, secret });
    expect(event.created).toBeGreaterThanOrEqual(before + DAY);
  });

  test("go to an endpoint that is made, tested and given another secret at the clock's time", async () => {
    await advance(DAY);
    let path = '';
    await expectNow(async () => {
      const endpoint = (
        await shop.post('/v1/webhook_endpoints', { url: receiver.url, events: ['*'] })
      ).body;
      path = `/v1/webhook_endpoints/${endpoint.id}`;
      const tested = (await shop.post(`${path}/test`, {})).body;
      return [endpoint.created, tested.attempted_at];
    }, DAY);
    await shop.post(`${path}/rotate_secret`, { overlap_seconds: HOUR });
    const signatures = async () => {
      const { id } = (await shop.createSession()).body;
      const received = () => receiver.received.find(({ text }) => text.includes(id));
      await until(() => received() !== undefined);
      return String(received()?.headers['webhook-signature']).split(' ').length;
    };
    expect(await signatures()).toBe(2);
    await advance(HOUR);
    expect(await signatures()).toBe(1);
  });
});
