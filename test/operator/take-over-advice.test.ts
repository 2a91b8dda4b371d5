/** On the database of an older version, the service and the doctor say what to do. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { examine } from '../../src/operator/cli/doctor.js';
import { readConfig } from '../../src/platform/config.js';
import { Clock } from '../../src/shared/clock.js';
import { withClient } from '../support/postgres.js';
import { commandLine, launch } from '../support/processes.js';
import { createDatabaseOf120 } from '../support/version-1-2-0.js';

const OF_120 = {
  found: 'Version 1.2.0 made this database.',
  advice:
    'Stop all servers and back the database up, then run ' +
    '`node dist/bundle/cli.js migrate` (docs/operate/upgrading.md).',
};
const BEFORE_120 = {
  found: 'A version before 1.2.0 made this database.',
  advice:
    'Install 1.2.0 first and run its `tillgate migrate`, then that of this version ' +
    '(docs/operate/upgrading.md).',
};
/** Versions before had fewer migrations. */
const FEWER_MIGRATIONS = 'DELETE FROM migrations WHERE id > 33';

let database: Awaited<ReturnType<typeof createDatabaseOf120>>;

beforeEach(async () => {
  database = await createDatabaseOf120();
});

afterEach(async () => database.drop());

describe.each([
  ['1.2.0', OF_120, []],
  ['a version before 1.2.0', BEFORE_120, [FEWER_MIGRATIONS]],
])('a database of %s', (_, { found, advice }, changes) => {
  beforeEach(async () => {
    for (const change of changes) await withClient(database.url, (client) => client.query(change));
  });

  test('has a doctor who fails for the schema only, and says what to do', async () => {
    const config = readConfig({
      DATABASE_URL: database.url,
      PUBLIC_URL: 'https://checkout.example',
      ENCRYPTION_KEY: 'k'.repeat(32),
    });
    const findings = await examine({
      config,
      url: database.url,
      machines: 1,
      clock: new Clock(),
    });
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([
      { name: 'schema', status: 'fail', found, advice },
    ]);
  });

  test('ends the service and each command with one line', async () => {
    const refusal = { status: 1, stdout: '', stderr: `${found} ${advice}\n` };
    expect(await launch({ DATABASE_URL: database.url }).ended).toEqual(refusal);
    for (const words of [['reconcile'], ['reencrypt'], ['org', 'create', 'Shop']])
      expect(await commandLine(words, { DATABASE_URL: database.url })).toEqual(refusal);
  });
});
