import type { Client } from 'pg';
import { LIVE_ORGANIZATIONS } from '../../modules/access/index.js';
import { ORGANIZATIONS_WITH_PAYMENT_URL } from '../../modules/page/index.js';
import type { Statement } from '../../platform/database/statement.js';
import { idOf, ORGANIZATION_ID } from '../../shared/id.js';
import { type Finding, ok, warn } from './finding.js';

export async function paymentUrls(client: Client): Promise<Finding> {
  const read = async ({ text }: Statement) =>
    (await client.query<{ organization: string }>(text)).rows.map(({ organization }) => organization);
  const led = new Set(await read(ORGANIZATIONS_WITH_PAYMENT_URL));
  const [first, ...more] = (await read(LIVE_ORGANIZATIONS)).filter((organization) => !led.has(organization));
  if (first === undefined) return ok('payment URLs', 'Every organization with a live key has a payment URL.');
  const id = idOf(ORGANIZATION_ID, first);
  const whose = `${id}${more.length > 0 ? ` and ${more.length} more` : ''}`;
  const command = `node dist/src/cli/cli.js org set ${id} --mode live --payment-url <url>`;
  const advice = `Run \`${command}\`, unless the ledger gives each session its own.`;
  return warn('payment URLs', `Live pages lead nowhere to pay: no payment URL for ${whose}.`, advice);
}
