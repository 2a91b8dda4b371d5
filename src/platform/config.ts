/**
 * Reads and checks the environment. All wrong settings are reported together, and nothing starts.
 */
import { plainToInstance, Transform } from 'class-transformer';
import type { ValidationArguments, ValidationOptions } from 'class-validator';
import {
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
  Validator,
} from 'class-validator';
import ipaddr from 'ipaddr.js';
import { sourceOf, withFiles } from './setting-files.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
/** The value of a secret is left out of the message about it. */
const SECRET = { context: { isSecret: true } };
const POSTGRES = /^postgres(ql)?:\/\/[^#]*$/;
const POSTGRES_URL = {
  message:
    'a URL like postgres://user:password@host:5432/database, with @ : / ? # % in the password ' +
    'written as %40 %3A %2F %3F %23 %25',
  ...SECRET,
};
const PUBLIC_URL = { message: 'a URL like https://pay.example, without a query' };
const TOKEN = { message: '1 to 256 visible ASCII characters without spaces', ...SECRET };
const ADDRESSES = {
  message: 'addresses or ranges like 10.0.0.0/8, with commas between them',
  each: true,
};
const PROXY_URL = {
  message:
    'a URL like http://user:password@proxy.example:3128, with @ : / ? # % in the password ' +
    'written as %40 %3A %2F %3F %23 %25',
  ...SECRET,
};
const NETWORKS = {
  message: ({ value }: ValidationArguments) =>
    'networks like 10.0.0.0/8 or fd00::/8, with commas or spaces between them, which is not true ' +
    `of ${value.filter((one: string) => !isNetwork(one)).join(', ')}`,
  each: true,
};
const LONG = /.{32}/s;
const KEY = { message: 'at least 32 characters', ...SECRET };
const KEYS = {
  message: 'keys of at least 32 characters, with commas between them',
  each: true,
  ...SECRET,
};
const NO_DATABASE =
  'DATABASE_URL is not set: with NODE_ENV=production it must name a PostgreSQL of your own.';

/**
 * Each setting is read from the variable with its name: `dataDir` from `DATA_DIR`
 * (docs/reference/settings.md).
 */
export class Config {
  /** PostgreSQL must be version 15 or newer. Undefined means the embedded one under `dataDir`. */
  @IsOptional() @ForPg() @IsUrl(POSTGRES, POSTGRES_URL) readonly databaseUrl: string | undefined =
    undefined;
  @IsString() readonly dataDir: string = '.data';
  @OneOf(['on', 'off']) readonly demo: string = 'on';
  @IsString() readonly host: string = '127.0.0.1';
  @WholeNumber({ min: 0, max: 65_535 }) readonly port: number = 3000;
  /**
   * Customers reach the service at this URL. Undefined means that there are no payment pages,
   * except on the embedded database.
   */
  @IsOptional() @IsUrl(/^https?:\/\/[^\s?#@\\]+$/i, PUBLIC_URL) readonly publicUrl:
    | string
    | undefined = undefined;
  @OneOf(LOG_LEVELS) readonly logLevel: string = 'info';
  @OneOf(['all', 'errors']) readonly logRequests: string = 'all';
  @WholeNumber({ min: 0, max: 1_000_000 }) readonly rateLimitRps: number = 0;
  @IsOptional() @Matches(/^[\x21-\x7e]{1,256}$/, TOKEN) readonly metricsToken: string | undefined =
    undefined;
  @Listed(Fits(isAddress, ADDRESSES)) readonly trustProxy: readonly string[] = [];
  @OneOf([true, false]) readonly webhookAllowPrivate: boolean = false;
  /** The ledger's own webhook endpoints may be in these CIDRs, besides public addresses. */
  @Listed(Fits(isNetwork, NETWORKS), /[\s,]+/) readonly ledgerWebhookNetworks: readonly string[] =
    [];
  /** Webhooks are sent through this proxy, by CONNECT. Without one, they are sent directly. */
  @IsOptional() @Fits(isProxyUrl, PROXY_URL) readonly webhookProxy: string | undefined = undefined;
  /** The key that encrypts stored secrets is derived from this one and one in the database. */
  @IsOptional() @Matches(LONG, KEY) readonly encryptionKey: string | undefined = undefined;
  /** Stored secrets may still be encrypted with these earlier values of `encryptionKey`. */
  @Listed(Matches(LONG, KEYS)) readonly decryptionKeys: readonly string[] = [];
  /** A response is kept for a year at most, because each one holds a whole body. */
  @WholeNumber({ min: 1, max: 8760 }) readonly idempotencyRetentionHours: number = 24;
  /**
   * An event is kept for a week at least, because deliveries without `Retry-After` are retried for
   * less than that.
   */
  @WholeNumber({ min: 7, max: 3650 }) readonly eventRetentionDays: number = 90;
  @WholeNumber({ min: 2, max: 1000 }) readonly databasePoolSize: number = 10;
  @WholeNumber({ min: 1, max: 64 }) readonly webConcurrency: number = 1;
}

export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/**
 * Reads the settings, or throws ConfigError. An empty variable counts as not set, as in `docker run
 * -e NAME=`. Production has no embedded database.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const { values, faults } = withFiles(environment);
  const given = Object.keys(new Config()).map((setting) => [
    setting,
    values[variableOf(setting)] || undefined,
  ]);
  const config = plainToInstance(Config, Object.fromEntries(given), { exposeDefaultValues: true });
  const hasDatabase = values.DATABASE_URL || values.DATABASE_URL_FILE;
  if (environment.NODE_ENV === 'production' && !hasDatabase) faults.unshift(NO_DATABASE);
  for (const { property, constraints = {}, contexts } of new Validator().validateSync(config)) {
    const variable = variableOf(property);
    const [expected] = Object.values(constraints);
    const is = contexts ? '' : ` is ${JSON.stringify(environment[variable])}, but`;
    faults.push(`${sourceOf(variable, environment)}${is} must be ${expected}.`);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/**
 * Tells whether only this machine can reach what listens on the host. RFC 6761 promises that of one
 * name, `localhost`.
 */
export function isLoopback(host: string): boolean {
  if (/^localhost\.?$/i.test(host)) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

const variableOf = (setting: string): string => setting.replaceAll(/[A-Z]/g, '_$&').toUpperCase();

/** Applies decorators in their order. Nest has the same, but is loaded only to serve. */
function all(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

function WholeNumber({ min, max }: { min: number; max: number }): PropertyDecorator {
  const about = { message: `a whole number from ${min} to ${max}` };
  const read = Transform(({ value }) => (/^\d{1,9}$/.test(value) ? Number(value) : value));
  return all(read, IsInt(about), Min(min, about), Max(max, about));
}

function OneOf(values: readonly unknown[]): PropertyDecorator {
  const read = Transform(({ value }) => values.find((one) => String(one) === value) ?? value);
  return all(read, IsIn(values, { message: `one of ${values.join(', ')}` }));
}

function Listed(entry: PropertyDecorator, separator: string | RegExp = ','): PropertyDecorator {
  const read = ({ value }: { value: unknown }) =>
    typeof value === 'string'
      ? value
          .trim()
          .split(separator)
          .map((one) => one.trim())
      : value;
  return all(Transform(read), entry);
}

function Fits(validate: (text: string) => boolean, options: ValidationOptions): PropertyDecorator {
  return ValidateBy({ name: 'fits', validator: { validate } }, options);
}

function isAddress(text: string): boolean {
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text);
}

/**
 * Refuses abbreviated IPv4, because 10.8/16 would mean 10.0.0.8/16. Refuses mapped IPv4 too,
 * because no address is compared with it.
 */
function isNetwork(text: string): boolean {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return true;
  return ipaddr.IPv6.isValidCIDR(text) && !ipaddr.IPv6.parseCIDR(text)[0].isIPv4MappedAddress();
}

/**
 * pg verifies the server with these modes too, and warns in nine lines that it may not do so later.
 */
function ForPg(): PropertyDecorator {
  const mode = /([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/;
  return Transform(({ value }) =>
    /[?&]uselibpqcompat=/.test(value)
      ? value
      : value && socketUrl(value).replace(mode, '$1verify-full'),
  );
}

/**
 * A socket URL of libpq may have no host after the user. pg then takes the port from the
 * parameters. Sockets have no TLS.
 */
function socketUrl(url: string): string {
  const parts =
    /^(\w+:\/\/(?:[^/?#@]*@)?)([^/?#@:]*)(?::(\d+))?(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url) ?? [];
  const [, start, host = '', port, path = '', query] = parts;
  const given = new URLSearchParams(query);
  const isSocket = /^%2F/i.test(host) || given.get('host')?.startsWith('/');
  if (start === undefined || (host && !isSocket)) return url;
  if (isSocket)
    for (const name of [...given.keys()].filter((one) => one.startsWith('ssl'))) given.delete(name);
  if (port && !given.has('port')) given.set('port', port);
  return `${start}${host}/${encodeURIComponent(given.get('dbname') ?? '') || path}?${given}`;
}

/** The user and the password are decoded when they are sent, so both must decode. */
function isProxyUrl(text: string): boolean {
  if (!/^http:\/\/(?:[^\s/?#@]+@)?[^\s/?#@]+\/?$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return !/%(?![0-9a-f]{2})/i.test(`${username}${password}`);
}

function IsUrl(scheme: RegExp, options: ValidationOptions): PropertyDecorator {
  return Fits((text) => scheme.test(text) && URL.canParse(text.replace('@/', '@socket/')), options);
}
