/** Checks that each statement of the adapters names its organization. `npm run check` runs it; it needs no database. */
import type { Maker, Makers } from './collect.js';
import { collect } from './collect.js';
import { faultsOf } from './organizations.js';
import { RIGHT, TABLES, WRONG } from './wrong.js';

/** Claims of several organizations at once, and refunds of one whose rows go together: both on one machine only. */
const LOCKS_ALL = [
  'refunds.lock_claimable_of_all',
  'refunds.claim_of_all',
  'postgres-held-amounts RESERVE_ALL',
  'postgres-held-amounts PAYMENTS_OF_ALL',
];

/** As a module declares it. */
const STORY = 'SELECT id FROM refunds WHERE organization_id = $1 AND mode = $2 AND payment_id = $3';
const ORDERS = ['asc', 'desc'];
const calls = (...given: readonly (readonly unknown[])[]) => {
  return (maker: Maker) => given.map((values) => maker(...(values as never[])));
};
/** A function that makes parts of statements, which are read where they are used. */
const PARTS = calls();

const MAKERS: Makers = {
  'columns insertInto': PARTS,
  'data-source MIGRATIONS': PARTS,
  'encrypted-columns encryptedColumns': calls([]),
  'encrypted-columns statementsOn': PARTS,
  'event-lists bounded': PARTS,
  'event-lists listOfAll': calls(...ORDERS.flatMap((order) => ['all', 'object'].map((of) => [of, order]))),
  'event-lists listOfObjects': calls(
    ...ORDERS.flatMap((order) =>
      [
        ['object', []],
        ['story', [STORY]],
      ].map((given) => [...given, order]),
    ),
  ),
  'event-lists listStatement': calls(...ORDERS.flatMap((order) => ['all', 'type'].map((by) => [by, order]))),
  'event-lists ofEachType': PARTS,
  'event-lists position': PARTS,
  'event-lists positionOfAll': PARTS,
  'ledger-rows ownerIn': PARTS,
  'measurement series': PARTS,
  'metrics oldest': PARTS,
  'postgres-checkout-sessions overdue': PARTS,
  'postgres-claims NEXT': PARTS,
  'postgres-claims next': PARTS,
  'postgres-claims store': PARTS,
  'postgres-deliveries NEXT_RECEIVER': PARTS,
  'postgres-held-amounts change': PARTS,
  'postgres-held-amounts less': PARTS,
  'prepared-query PreparedQuery': PARTS,
  'reconciliation statementOf': PARTS,
  'statement composed': PARTS,
  'statement composedForAll': PARTS,
  'statement inserting': PARTS,
  'statement remembered': PARTS,
  'statement textOf': PARTS,
  'stuck-refunds oldest': PARTS,
  'webhook-endpoint.record endpointRecord': PARTS,
};

const complaints: string[] = [];
const { statements, tables, unknown } = await collect(MAKERS);
for (const place of unknown) complaints.push(`${place} makes statements: say in tools/statements/check.ts which.`);
for (const [name, sql] of statements) {
  const faults = LOCKS_ALL.includes(name) ? [] : await faultsOf(sql, tables);
  for (const fault of faults)
    complaints.push(`${name}: ${tables.has(fault) ? `no organization for ${fault}` : fault}.`);
}
for (const sql of WRONG) if ((await faultsOf(sql, TABLES)).length === 0) complaints.push(`Not refused: ${sql}`);
for (const sql of RIGHT) {
  for (const fault of await faultsOf(sql, TABLES)) complaints.push(`Refused for ${fault}: ${sql}`);
}
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exit(1);
console.log(`Each of ${statements.size} statements names its organization.`);
