import type { Diagnosis } from '../../../../platform/facts.js';
import { idOf, ORGANIZATION_ID } from '../../../../shared/id.js';
import { LIVE_ORGANIZATIONS } from '../../../access/index.js';

interface Row {
  readonly organization: string;
}

export const PAYMENT_URLS: Diagnosis<Row> = {
  name: 'payment URLs',
  text: `/* every organization: doctor names those without one */
    SELECT organization_id AS organization FROM ${LIVE_ORGANIZATIONS} AS live
    WHERE organization_id NOT IN (SELECT organization_id FROM payment_urls WHERE mode = 'live') ORDER BY organization_id`,
  isNeeded: ({ publicUrl }) => publicUrl !== undefined,
  well: 'Every organization with a live key has a payment URL.',
  warnings: ([first, ...more]) => {
    if (first === undefined) return [];
    const id = idOf(ORGANIZATION_ID, first.organization);
    const whose = `${id}${more.length > 0 ? ` and ${more.length} more` : ''}`;
    const command = `node dist/src/cli/cli.js org set ${id} --mode live --payment-url <url>`;
    const advice = `Run \`${command}\`, unless the ledger gives each session its own.`;
    return [{ found: `Live pages lead nowhere to pay: no payment URL for ${whose}.`, advice }];
  },
};
