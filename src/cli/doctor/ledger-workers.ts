import type { Client } from 'pg';
import { named, TROUBLED_REFUNDS, type TroubledRow } from '../../modules/refunds/index.js';
import { type Finding, ok, warn } from './finding.js';

export async function ledgerWorkers(client: Client): Promise<Finding[]> {
  const { rows } = await client.query<TroubledRow>(TROUBLED_REFUNDS.text);
  const stuck = rows.filter(({ trouble }) => trouble === 'stuck');
  const starving = rows.filter(({ trouble }) => trouble === 'starving');
  const found: Finding[] = [];
  if (stuck.length > 0) {
    const advice = 'Look up each ID at the payment provider: send succeed if it was paid, fail if it cannot be paid.';
    found.push(warn('ledger workers', `Claimed again and again, and still pending: ${named(stuck)}.`, advice));
  }
  if (starving.length > 0) {
    const advice = 'Start more workers, and let one of them claim without organization.';
    found.push(warn('ledger workers', `Not claimed for an hour, while others are: ${named(starving)}.`, advice));
  }
  return found.length > 0
    ? found
    : [ok('ledger workers', 'No refund is stuck, and none waits while others are claimed.')];
}
