/**
 * Checks that each statement of the adapters names its organization. `npm run check` runs it; it
 * needs no database.
 */
import { collect } from './collect.js';
import { refusedOfAll } from './every-organization.js';
import { faultsOf } from './organizations.js';
import { RIGHT, TABLES, WRONG } from './wrong.js';

/** This statement claims refunds of several organizations at once, on one machine only. */
const LOCKS_ALL = ['refunds.lock_claimable_of_all', 'refunds.claim_of_all'];
/** On Citus, other statements are sent in place of these. */
const ON_ONE_MACHINE = ['events.ledger_list_asc', 'events.ledger_list_desc', 'refunds.waiting'];

const complaints: string[] = [];
const { statements, tables } = await collect();
// The rows of many requests (*) are written by the texts of one row.
const judged = [...statements].filter(([name]) => !LOCKS_ALL.includes(name) && !name.endsWith('*'));
for (const [name, { text }] of judged) {
  for (const fault of await faultsOf(text, tables))
    complaints.push(`${name}: ${tables.has(fault) ? `no organization for ${fault}` : fault}.`);
  if (ON_ONE_MACHINE.includes(name)) continue;
  for (const fault of await refusedOfAll(text, tables)) complaints.push(`${name}: ${fault}.`);
}
for (const sql of WRONG)
  if ((await faultsOf(sql, TABLES)).length === 0) complaints.push(`Not refused: ${sql}`);
for (const sql of RIGHT) {
  for (const fault of await faultsOf(sql, TABLES)) complaints.push(`Refused for ${fault}: ${sql}`);
}
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exit(1);
console.log(`Each of ${statements.size} statements names its organization.`);
