import { describe, expect, test } from '@jest/globals';
import { ConfigError, isLoopback, readConfig } from '../../src/platform/config.js';
import { launch } from '../support/processes.js';

const DEFAULTS = {
  databaseUrl: undefined,
  eventRetentionDays: 90,
  dataDir: '.data',
  demo: 'on',
  host: '127.0.0.1',
  port: 3000,
  logLevel: 'info',
  logRequests: 'all',
  rateLimitRps: 0,
  metricsToken: undefined,
  trustProxy: [],
  decryptionKeys: [],
  webhookAllowPrivate: false,
  ledgerWebhookNetworks: [],
  idempotencyRetentionHours: 24,
  databasePoolSize: 10,
  webConcurrency: 1,
};

const ALL_WRONG = {
  DATABASE_URL: 'mysql://root:s3cret@db/shop',
  DEMO: 'no',
  PORT: '65536',
  LOG_LEVEL: 'loud',
  RATE_LIMIT_RPS: '-1',
  METRICS_TOKEN: 'two words',
  TRUST_PROXY: '10.0.0.0/8, proxy',
  WEBHOOK_ALLOW_PRIVATE: 'yes',
  LEDGER_WEBHOOK_NETWORKS: '10.0.0.0/8, 10.0.0.0/33 fd00::/8 intranet',
  DECRYPTION_KEYS: `${'k'.repeat(32)}, short`,
  IDEMPOTENCY_RETENTION_HOURS: '0',
  DATABASE_POOL_SIZE: '1',
  WEB_CONCURRENCY: '0',
};

const ALL_FAULTS = [
  'DATABASE_URL must be a URL like postgres://user:password@host:5432/database, with @ : / ? # % in the password written as %40 %3A %2F %3F %23 %25.',
  'DEMO is "no", but must be one of on, off.',
  'PORT is "65536", but must be a whole number from 0 to 65535.',
  'LOG_LEVEL is "loud", but must be one of fatal, error, warn, info, debug, trace, silent.',
  'RATE_LIMIT_RPS is "-1", but must be a whole number from 0 to 1000000.',
  'METRICS_TOKEN must be 1 to 256 visible ASCII characters without spaces.',
  'TRUST_PROXY is "10.0.0.0/8, proxy", but must be addresses or ranges like 10.0.0.0/8, with commas between them.',
  'WEBHOOK_ALLOW_PRIVATE is "yes", but must be one of true, false.',
  'LEDGER_WEBHOOK_NETWORKS is "10.0.0.0/8, 10.0.0.0/33 fd00::/8 intranet", but must be networks like 10.0.0.0/8 or fd00::/8, with commas or spaces between them, which is not true of 10.0.0.0/33, intranet.',
  'DECRYPTION_KEYS must be keys of at least 32 characters, with commas between them.',
  'IDEMPOTENCY_RETENTION_HOURS is "0", but must be a whole number from 1 to 8760.',
  'DATABASE_POOL_SIZE is "1", but must be a whole number from 2 to 1000.',
  'WEB_CONCURRENCY is "0", but must be a whole number from 1 to 64.',
];

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('settings', () => {
  test('have defaults', () => {
    expect(readConfig({})).toEqual(DEFAULTS);
  });

  test('that are empty count as not set', () => {
    const empty = ['DATA_DIR', 'HOST', ...Object.keys(ALL_WRONG)].map((name) => [name, '']);
    expect(readConfig(Object.fromEntries(empty))).toEqual(DEFAULTS);
  });

  test('are read', () => {
    const environment = {
      DATABASE_URL: 'postgresql://tillgate@db:5433/shop',
      DATA_DIR: '/var/lib/till gate',
      DEMO: 'off',
      HOST: '::',
      PORT: '0',
      LOG_LEVEL: 'silent',
      LOG_REQUESTS: 'errors',
      RATE_LIMIT_RPS: '1000000',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      LEDGER_WEBHOOK_NETWORKS: ' 10.0.0.0/8,127.0.0.1/32 , fd00::/8  ::1/128 ',
      DECRYPTION_KEYS: `${'k'.repeat(32)},${'l'.repeat(33)}`,
      IDEMPOTENCY_RETENTION_HOURS: '8760',
      DATABASE_POOL_SIZE: '2',
      WEB_CONCURRENCY: '64',
    };
    expect(readConfig(environment)).toEqual({
      databaseUrl: 'postgresql://tillgate@db:5433/shop',
      eventRetentionDays: 90,
      dataDir: '/var/lib/till gate',
      demo: 'off',
      host: '::',
      port: 0,
      logLevel: 'silent',
      logRequests: 'errors',
      rateLimitRps: 1_000_000,
      trustProxy: ['10.0.0.0/8', '::1'],
      webhookAllowPrivate: true,
      ledgerWebhookNetworks: ['10.0.0.0/8', '127.0.0.1/32', 'fd00::/8', '::1/128'],
      decryptionKeys: ['k'.repeat(32), 'l'.repeat(33)],
      idempotencyRetentionHours: 8760,
      databasePoolSize: 2,
      webConcurrency: 64,
    });
  });

  test('of production name a database', () => {
    const fault =
      'DATABASE_URL is not set: with NODE_ENV=production it must name a PostgreSQL of your own.';
    expect(faultsOf({ NODE_ENV: 'production' })).toEqual([fault]);
    expect(faultsOf({ NODE_ENV: 'production', DATABASE_URL: '', PORT: '65536' })).toEqual([
      fault,
      ALL_FAULTS[2],
    ]);
    expect(faultsOf({ NODE_ENV: 'production', DATABASE_URL: 'postgres://db/shop' })).toEqual([]);
    expect(faultsOf({ NODE_ENV: 'development' })).toEqual([]);
  });

  test('of databases verify the server with every sslmode that pg verifies it with', () => {
    const read = (search: string) =>
      readConfig({ DATABASE_URL: `postgres://db/shop${search}` }).databaseUrl;
    for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full'])
      expect(read(`?a=b&sslmode=${mode}&c=d`)).toBe(
        'postgres://db/shop?a=b&sslmode=verify-full&c=d',
      );
    for (const kept of [
      '',
      '?sslmode=disable',
      '?sslmode=no-verify',
      '?uselibpqcompat=true&sslmode=require',
    ])
      expect(read(kept)).toBe(`postgres://db/shop${kept}`);
  });

  test.each(['1.5', '1e3', '0x10', ' 80', '80 ', '９', 'NaN', '-0', '+1', '80,81', '99999999999'])(
    'PORT=%j is not a whole number from 0 to 65535',
    (value) => {
      expect(faultsOf({ PORT: value })).toEqual([
        `PORT is ${JSON.stringify(value)}, but must be a whole number from 0 to 65535.`,
      ]);
    },
  );

  test.each([
    'db',
    'localhost:5432',
    'http://db',
    'postgres:db',
    'postgres://db:port/shop',
    ' postgres://db',
    'postgres://me:p@#w@db/shop',
  ])('DATABASE_URL=%j is refused, and not repeated, since it may hold a password', (value) => {
    expect(faultsOf({ DATABASE_URL: value })).toEqual([ALL_FAULTS[0]]);
  });

  test.each([
    '10.0.0.1',
    '10.8/16',
    '0x0a.0.0.0/8',
    '10.0.0.0/',
    '/8',
    'fd00::/129',
    '::ffff:10.0.0.0/104',
    'a,,b',
    '*',
  ])('LEDGER_WEBHOOK_NETWORKS=%j is refused', (value) => {
    expect(faultsOf({ LEDGER_WEBHOOK_NETWORKS: value })).toEqual([
      expect.stringMatching(/^LEDGER_WEBHOOK_NETWORKS is .* must be networks like /),
    ]);
  });

  test('that are wrong keep the process from starting', async () => {
    expect(await launch(ALL_WRONG).ended).toEqual({
      status: 1,
      stdout: '',
      stderr: ALL_FAULTS.map((fault) => `${fault}\n`).join(''),
    });
  });
});

test.each([
  ...['127.0.0.1', '127.8.9.10', '127.1', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'],
  ...['localhost', 'LOCALHOST', 'localhost.'],
])('%s is a loopback host', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each([
  ...['0.0.0.0', '0', '::', '::ffff:0.0.0.0', '10.0.0.1', '128.0.0.1', 'fe80::1', '::2'],
  ...['localhost.example', '127.0.0.1.example', 'tillgate', ''],
])('%j is no loopback host', (host) => {
  expect(isLoopback(host)).toBe(false);
});
