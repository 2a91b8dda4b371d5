import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  WEBHOOK_PROXY: 'https://me:s3cret@proxy:3128',
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
  'WEBHOOK_PROXY must be a URL like http://user:password@proxy.example:3128, with @ : / ? # % in the password written as %40 %3A %2F %3F %23 %25.',
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

describe('the settings', () => {
  test('have defaults', () => {
    expect(readConfig({})).toEqual(DEFAULTS);
  });

  test('have their defaults where a variable is empty', () => {
    const empty = ['DATA_DIR', 'HOST', ...Object.keys(ALL_WRONG)].map((name) => [name, '']);
    expect(readConfig(Object.fromEntries(empty))).toEqual(DEFAULTS);
  });

  test('are read from the environment', () => {
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
      WEBHOOK_PROXY: 'http://me:p%40ss@[fd00::1]:3128/',
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
      webhookProxy: 'http://me:p%40ss@[fd00::1]:3128/',
      decryptionKeys: ['k'.repeat(32), 'l'.repeat(33)],
      idempotencyRetentionHours: 8760,
      databasePoolSize: 2,
      webConcurrency: 64,
    });
  });

  test('must name a database in production', () => {
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

  test('verify the server of PostgreSQL in every sslmode in which pg verifies it', () => {
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
    'refuse PORT=%j, which is not a whole number from 0 to 65535',
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
  ])('refuse DATABASE_URL=%j, and do not repeat it, because it may contain a password', (value) => {
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
  ])('refuse LEDGER_WEBHOOK_NETWORKS=%j', (value) => {
    expect(faultsOf({ LEDGER_WEBHOOK_NETWORKS: value })).toEqual([
      expect.stringMatching(/^LEDGER_WEBHOOK_NETWORKS is .* must be networks like /),
    ]);
  });

  test.each([
    'proxy:3128',
    'socks5://proxy:1080',
    'http://proxy:port',
    'http://proxy/path',
    'http://me:100%@proxy',
    'http://proxy:3128 http://other:3128',
  ])(
    'refuse WEBHOOK_PROXY=%j, and do not repeat it, because it may contain a password',
    (value) => {
      const fault = ALL_FAULTS.find((one) => one.startsWith('WEBHOOK_PROXY'));
      expect(faultsOf({ WEBHOOK_PROXY: value })).toEqual([fault]);
    },
  );

  test('keep the process from starting if they are wrong', async () => {
    expect(await launch(ALL_WRONG).ended).toEqual({
      status: 1,
      stdout: '',
      stderr: ALL_FAULTS.map((fault) => `${fault}\n`).join(''),
    });
  });
});

describe('the settings in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-settings-'));
  const fileOf = (name: string, content: string | Uint8Array) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  test('are read without the line feed at their end', () => {
    const key = ' a key with spaces at both of its ends ';
    const config = readConfig({
      DATABASE_URL_FILE: fileOf('url', 'postgres://tillgate:s3cret@db/shop\n'),
      ENCRYPTION_KEY_FILE: fileOf('key', `${key}\n\n`),
      DECRYPTION_KEYS_FILE: fileOf('keys', `${'k'.repeat(32)},${'l'.repeat(32)}`),
      METRICS_TOKEN_FILE: fileOf('token', 'token'),
      WEBHOOK_PROXY_FILE: fileOf('proxy', 'http://me:s3cret@proxy:3128\n'),
      NODE_ENV: 'production',
    });
    expect(config).toMatchObject({
      databaseUrl: 'postgres://tillgate:s3cret@db/shop',
      encryptionKey: `${key}\n`,
      decryptionKeys: ['k'.repeat(32), 'l'.repeat(32)],
      metricsToken: 'token',
      webhookProxy: 'http://me:s3cret@proxy:3128',
    });
  });

  test('are refused if they are set in both ways, and an empty variable counts as missing', () => {
    const METRICS_TOKEN_FILE = fileOf('both', 's3cret');
    expect(faultsOf({ METRICS_TOKEN: 'other', METRICS_TOKEN_FILE })).toEqual([
      'METRICS_TOKEN and METRICS_TOKEN_FILE are both set: leave one of them out.',
    ]);
    expect(readConfig({ METRICS_TOKEN: '', METRICS_TOKEN_FILE }).metricsToken).toBe('s3cret');
    expect(readConfig({ METRICS_TOKEN: 'token', METRICS_TOKEN_FILE: '' }).metricsToken).toBe(
      'token',
    );
  });

  test('are refused all at once by their names, and never by their content', () => {
    const missing = join(folder, 'missing');
    const empty = fileOf('empty', '\n');
    const bytes = fileOf('bytes', new Uint8Array([0x73, 0xff]));
    const wrong = {
      DATABASE_URL_FILE: missing,
      ENCRYPTION_KEY_FILE: empty,
      DECRYPTION_KEYS_FILE: bytes,
      METRICS_TOKEN_FILE: fileOf('words', 'two s3cret words'),
      WEBHOOK_PROXY_FILE: folder,
      NODE_ENV: 'production',
    };
    expect(faultsOf(wrong)).toEqual([
      `DATABASE_URL_FILE is "${missing}", but the file cannot be read (ENOENT).`,
      `ENCRYPTION_KEY_FILE is "${empty}", but the file is empty.`,
      `DECRYPTION_KEYS_FILE is "${bytes}", but the file is not text in UTF-8.`,
      `WEBHOOK_PROXY_FILE is "${folder}", but the file cannot be read (EISDIR).`,
      'METRICS_TOKEN, in the file of METRICS_TOKEN_FILE, must be 1 to 256 visible ASCII characters without spaces.',
    ]);
  });
});

test.each([
  ...['127.0.0.1', '127.8.9.10', '127.1', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'],
  ...['localhost', 'LOCALHOST', 'localhost.'],
])('the host %s is loopback', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each([
  ...['0.0.0.0', '0', '::', '::ffff:0.0.0.0', '10.0.0.1', '128.0.0.1', 'fe80::1', '::2'],
  ...['localhost.example', '127.0.0.1.example', 'tillgate', ''],
])('the host %j is not loopback', (host) => {
  expect(isLoopback(host)).toBe(false);
});
