/** The searches for planted bugs that show how strong the model is. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { checkSequences } from '../support/model-commands.js';
import { type Service, startService } from '../support/service.js';

/** A planted bug needs a few steps in one order, which a thousand sequences may miss. The search ends at the first find. */
const SEARCHED = 10_000;
/** The same search each time. */
const SEED = 20_261_122;

let service: Service;

beforeEach(async () => {
  service = await startService();
});

afterEach(() => service.close());

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
  ])('%s', async (_, plant, shortest) => {
    await service.sql.query(plant);
    const { failed, counterexample } = await checkSequences(service, { numRuns: SEARCHED, seed: SEED });
    expect(failed).toBe(true);
    const steps = String(counterexample?.[0]).split(',');
    expect(shortest.filter((step) => !steps.some((taken) => taken.startsWith(step)))).toEqual([]);
  });
});
