/**
 * Random sequences of everything that can happen to sessions, payments and refunds, against a model in memory. To repeat
 * a run, set MODEL_SEED to the seed it printed.
 */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Model } from '../support/model.js';
import { COMMANDS, compareAll, type Real } from '../support/model-commands.js';
import { expectBalanced } from '../support/reconciled.js';
import { createLedgerKey, type Service, startService } from '../support/service.js';
import { Shop } from '../support/shop.js';

const SEQUENCES = 600;
/** A planted bug needs a few steps in one order, which a thousand sequences may miss. The search ends at the first find. */
const SEARCHED = 10_000;
/** Sequences at once, each a shop of its own: what keeps both ends busy. */
const LANES = 8;
const LONGEST = 12;
const TIME_LIMIT_MS = 300_000;

/** Of the search for planted bugs: what it finds is the same each time. */
const PLANTED_SEED = 20_261_122;

const seed = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));

let service: Service;

beforeEach(async () => {
  service = await startService();
});

afterEach(() => service.close());

/** One lane of sequences, one after the other. */
async function check(numRuns: number, laneSeed: number) {
  const ledgerKey = await createLedgerKey(service);
  const sequence = fc.commands(COMMANDS, { maxCommands: LONGEST, size: 'max' });
  const property = fc.asyncProperty(sequence, async (commands) => {
    const shop = await Shop.open(service, { ledgerKey });
    const model = new Model(shop.organization);
    const real: Real = { shop, sql: service.sql, sent: [] };
    await fc.asyncModelRun(() => ({ model, real }), commands);
    await compareAll(model, real);
  });
  return fc.check(property, { numRuns, seed: laneSeed });
}

test(
  `${SEQUENCES} random sequences do what the model does`,
  async () => {
    process.stdout.write(`model seed: ${seed}\n`);
    const lanes = Array.from({ length: LANES }, (_, lane) => check(SEQUENCES / LANES, seed + lane));
    const results = await Promise.all(lanes);
    expect(results.filter(({ failed }) => failed).map((result) => fc.defaultReportMessage(result))).toEqual([]);
    expect(results.reduce((sum, { numRuns }) => sum + numRuns, 0)).toBe(SEQUENCES);
    await expectBalanced(service);
  },
  TIME_LIMIT_MS,
);

const trigger = (table: string, when: string, body: string) => `
  CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;
  CREATE TRIGGER plant ${when} ON ${table} FOR EACH ROW EXECUTE FUNCTION plant()`;

describe('finds a planted bug', () => {
  test.each([
    [
      'a failed refund is accounted as if it had succeeded',
      trigger(
        'refunds',
        'AFTER UPDATE',
        `IF NEW.status = 'failed' AND OLD.status = 'pending' THEN
          UPDATE payments SET amount_refunded = amount_refunded + NEW.amount WHERE id = NEW.payment_id;
        END IF; RETURN NULL;`,
      ),
      ['capture', 'propose', 'fail'],
    ],
    [
      'a session that was ended is open again',
      trigger(
        'checkout_sessions',
        'BEFORE UPDATE',
        `IF NEW.status = 'expired' AND NOT EXISTS (SELECT FROM sandbox_clocks
          WHERE organization_id = NEW.organization_id AND ahead_seconds > 0
        ) THEN NEW.status := 'open'; END IF; RETURN NEW;`,
      ),
      ['create', 'expire'],
    ],
    [
      'an idempotency key is forgotten',
      trigger(
        'idempotency_keys',
        'BEFORE INSERT',
        `IF NEW.operation LIKE '%refunds' THEN RETURN NULL; END IF; RETURN NEW;`,
      ),
      ['capture', 'propose', 'retry'],
    ],
    [
      'a clock stays where it was',
      trigger('sandbox_clocks', 'BEFORE UPDATE', 'NEW.ahead_seconds := OLD.ahead_seconds; RETURN NEW;'),
      ['advance'],
    ],
    [
      'a session that a moved clock has ended has another end',
      trigger(
        'checkout_sessions',
        'BEFORE UPDATE',
        `IF NEW.status = 'expired' AND EXISTS (SELECT FROM sandbox_clocks
          WHERE organization_id = NEW.organization_id AND ahead_seconds >= 86400
        ) THEN NEW.expires_at := now(); END IF; RETURN NEW;`,
      ),
      ['create', 'advance'],
    ],
  ])(
    '%s',
    async (_, plant, shortest) => {
      await service.sql.query(plant);
      const { failed, counterexample } = await check(SEARCHED, PLANTED_SEED);
      expect(failed).toBe(true);
      const steps = String(counterexample?.[0]).split(',');
      expect(shortest.filter((step) => !steps.some((taken) => taken.startsWith(step)))).toEqual([]);
    },
    TIME_LIMIT_MS,
  );
});
