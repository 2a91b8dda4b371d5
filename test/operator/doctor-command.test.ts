/** The command doctor prints what it finds, and fails if something is wrong. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Finding } from '../../src/operator/cli/doctor/finding.js';
import { createDatabase } from '../support/postgres.js';
import { commandLine } from '../support/processes.js';

const WHOLE = { PUBLIC_URL: 'https://checkout.example', ENCRYPTION_KEY: 'k'.repeat(32) };

let database: Awaited<ReturnType<typeof createDatabase>>;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(() => database.drop());

const fault = (name: string, status: Finding['status'], found: RegExp, advice: RegExp) => ({
  name,
  status,
  found: expect.stringMatching(found),
  advice: expect.stringMatching(advice),
});

describe('the command doctor', () => {
  const doctor = async (environment: Record<string, string>) => {
    const { status, stdout, stderr } = await commandLine(['doctor'], environment);
    return { status, stderr, ...JSON.parse(stdout) };
  };
  const all = (...names: string[]) =>
    names.map((name) => ({
      name,
      status: 'ok',
      found: expect.stringMatching(/\.$/),
      advice: null,
    }));

  test('exits with 0 for a database without a fault', async () => {
    expect(await doctor({ ...WHOLE, DATABASE_URL: database.url })).toEqual({
      status: 0,
      stderr: '',
      healthy: true,
      checks: all(
        'settings',
        'connection',
        'tls',
        'postgresql',
        'encoding',
        'writes',
        'durability',
        'schema',
      ).concat(
        all(
          'pooler',
          'connections',
          'secrets',
          'operator keys',
          'ledger workers',
          'approvals',
          'clock',
        ),
      ),
    });
  });

  test('exits with 1 for a fault, and says what to do', async () => {
    expect(await doctor({ ...WHOLE, DATABASE_URL: 'postgres://localhost:1/shop' })).toEqual({
      status: 1,
      stderr: '',
      healthy: false,
      checks: [
        ...all('settings'),
        fault(
          'connection',
          'fail',
          /ECONNREFUSED/,
          /^Check DATABASE_URL, the network and pg_hba\.conf;/,
        ),
      ],
    });
    expect(await doctor({ DATABASE_URL: 'shop', PORT: 'many' })).toEqual({
      status: 1,
      stderr: '',
      healthy: false,
      checks: [
        fault(
          'settings',
          'fail',
          /^DATABASE_URL must be a URL/,
          /^Correct it: docs\/reference\/settings\.md\.$/,
        ),
        fault(
          'settings',
          'fail',
          /^PORT is "many", but must be/,
          /^Correct it: docs\/reference\/settings\.md\.$/,
        ),
      ],
    });
    expect((await doctor({ NODE_ENV: 'production' })).checks).toEqual([
      fault(
        'settings',
        'fail',
        /^DATABASE_URL is not set/,
        /^Correct it: docs\/reference\/settings\.md\.$/,
      ),
    ]);
  });
});
