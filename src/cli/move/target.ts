import type { Client } from 'pg';

/** Secrets of the whole database. The target needs the same ones, for links to pages and for encrypted values. */
const SECRETS = [
  ['encryption_keys', 'key'],
  ['page_secrets', 'secret'],
] as const;

const COLUMNS = `SELECT string_agg(concat_ws(' ', table_name, column_name, data_type), ', '
    ORDER BY table_name, ordinal_position) AS columns
  FROM information_schema.columns WHERE table_schema = 'public'`;
const IS_UNUSED = `SELECT NOT EXISTS (SELECT FROM organizations) AND NOT EXISTS (SELECT FROM ledger_webhook_endpoints)
    AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tillgate')
  AS "isUnused"`;

export type Residence = 'here' | 'leaving' | 'gone';

export async function residenceOf(client: Client, organization: string, lock = ''): Promise<Residence | undefined> {
  const text = `SELECT residence FROM organizations WHERE id = $1 ${lock}`;
  return (await client.query<{ residence: Residence }>(text, [organization])).rows[0]?.residence;
}

/** Throws with advice if the organization cannot move. An unused target gets the secrets of the source. */
export async function prepareTarget(source: Client, target: Client, organization: string): Promise<void> {
  const residence = await residenceOf(source, organization);
  if (residence === undefined) throw new Error('No such organization.');
  const there = await residenceOf(target, organization);
  if (residence !== 'gone' && there !== undefined && there !== 'gone') {
    throw new Error('The target has this organization already.');
  }
  if ((await only(target, 'SHOW max_prepared_transactions')) === '0') {
    throw new Error('The target prepares no transactions: set max_prepared_transactions to 2 there, and restart it.');
  }
  if ((await only(source, COLUMNS)) !== (await only(target, COLUMNS))) {
    throw new Error('The two databases have different schemas: migrate both to the same version.');
  }
  await shareSecrets(source, target);
}

async function shareSecrets(source: Client, target: Client): Promise<void> {
  for (const [table, column] of SECRETS) {
    const secret = `SELECT ${column} FROM ${table} WHERE id = 1`;
    const [ours, theirs] = [await only(source, secret), await only(target, secret)] as [Buffer, Buffer];
    if (ours.equals(theirs)) continue;
    if (!(await only(target, IS_UNUSED))) {
      throw new Error(
        'The target has secrets of its own: move into a new database, before a service has been started on it.',
      );
    }
    await target.query(`UPDATE ${table} SET ${column} = $1 WHERE id = 1`, [ours]);
  }
}

async function only(client: Client, text: string): Promise<unknown> {
  const { rows } = await client.query({ text, rowMode: 'array' });
  return rows[0]?.[0];
}
