/** The environment, read and checked once. Every wrong setting is reported at once, and nothing starts. */
import { applyDecorators } from '@nestjs/common';
import { plainToInstance, Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, Min, ValidateBy, validateSync } from 'class-validator';
import ipaddr from 'ipaddr.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const LOG_REQUESTS = ['all', 'errors'];
const NO_DATABASE = 'DATABASE_URL is not set: with NODE_ENV=production it must name a PostgreSQL of your own.';

/** Each setting is read from the variable of the same name: `dataDir` from `DATA_DIR` (docs/settings.md). */
export class Config {
  /** PostgreSQL 15 or newer; undefined means the embedded one under `dataDir`. */
  @IsOptional() @IsPostgresUrl() readonly databaseUrl: string | undefined = undefined;
  /** A standby, for what may be seconds behind; undefined means the database itself. */
  @IsOptional() @IsPostgresUrl() readonly databaseReadUrl: string | undefined = undefined;
  @IsString() readonly dataDir: string = '.data';
  @IsString() readonly host: string = '127.0.0.1';
  @WholeNumber({ min: 0, max: 65_535 }) readonly port: number = 3000;
  /** Where customers reach the service; undefined means that they do not. */
  @IsOptional() @IsPublicUrl() readonly publicUrl: string | undefined = undefined;
  @IsIn(LOG_LEVELS, { message: `one of ${LOG_LEVELS.join(', ')}` }) readonly logLevel: string = 'info';
  @IsIn(LOG_REQUESTS, { message: `one of ${LOG_REQUESTS.join(', ')}` }) readonly logRequests: string = 'all';
  @WholeNumber({ min: 0, max: 1_000_000 }) readonly rateLimitRps: number = 0;
  @IsOptional() @IsToken() readonly metricsToken: string | undefined = undefined;
  @Addresses() readonly trustProxy: readonly string[] = [];
  @Flag() readonly webhookAllowPrivate: boolean = false;
  /** Part of the key for what is stored encrypted. */
  @IsOptional() @LongText() readonly encryptionKey: string | undefined = undefined;
  /** Other keys that something stored may still be under. */
  @LongTexts() readonly decryptionKeys: readonly string[] = [];
  /** A year at most: each stored response holds a whole body. */
  @WholeNumber({ min: 1, max: 8760 }) readonly idempotencyRetentionHours: number = 24;
  /** A week at least: longer than any event is still on its way. */
  @WholeNumber({ min: 7, max: 3650 }) readonly eventRetentionDays: number = 90;
  @WholeNumber({ min: 2, max: 1000 }) readonly databasePoolSize: number = 10;
  /** Whether reads of the same moment go to PostgreSQL together. */
  @Flag() readonly databaseGatherReads: boolean = true;
  @WholeNumber({ min: 1, max: 64 }) readonly webConcurrency: number = 1;
}

export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Throws ConfigError. An empty variable counts as not set, as in `docker run -e NAME=`. Production has no embedded database. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const given = Object.keys(new Config()).map((setting) => [setting, environment[variableOf(setting)] || undefined]);
  const config = plainToInstance(Config, Object.fromEntries(given), { exposeDefaultValues: true });
  const faults = validateSync(config).map(({ property, constraints = {}, contexts }) => {
    const variable = variableOf(property);
    const [expected] = Object.values(constraints);
    // The value of a secret is left out.
    const is = contexts ? '' : ` is ${JSON.stringify(environment[variable])}, but`;
    return `${variable}${is} must be ${expected}.`;
  });
  if (environment.NODE_ENV === 'production' && !environment.DATABASE_URL) faults.unshift(NO_DATABASE);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

const variableOf = (setting: string): string => setting.replaceAll(/[A-Z]/g, '_$&').toUpperCase();

function WholeNumber({ min, max }: { min: number; max: number }): PropertyDecorator {
  const about = { message: `a whole number from ${min} to ${max}` };
  const read = Transform(({ value }) => (/^\d{1,9}$/.test(value) ? Number(value) : value));
  return applyDecorators(read, IsInt(about), Min(min, about), Max(max, about)) as PropertyDecorator;
}

function Flag(): PropertyDecorator {
  const read = Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value));
  return applyDecorators(read, IsIn([true, false], { message: 'one of true, false' })) as PropertyDecorator;
}

/** What stands between commas. */
function Listed(): PropertyDecorator {
  return Transform(({ value }) => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value));
}

function Addresses(): PropertyDecorator {
  const isOne = (address: string) => ipaddr.isValid(address) || ipaddr.isValidCIDR(address);
  const validate = (addresses: readonly string[]) => addresses.every(isOne);
  const message = 'addresses or ranges like 10.0.0.0/8, with commas between them';
  const valid = ValidateBy({ name: 'addresses', validator: { validate } }, { message });
  return applyDecorators(Listed(), valid) as PropertyDecorator;
}

function IsToken(): PropertyDecorator {
  const validate = (text: string) => /^[\x21-\x7e]{1,256}$/.test(text);
  return ValidateBy(
    { name: 'isToken', validator: { validate } },
    { message: '1 to 256 visible ASCII characters without spaces', context: { isSecret: true } },
  );
}

function IsPublicUrl(): PropertyDecorator {
  const validate = (text: string) => /^https?:\/\/[^\s?#@\\]+$/i.test(text) && URL.canParse(text);
  const message = 'a URL like https://pay.example, without a query';
  return ValidateBy({ name: 'isPublicUrl', validator: { validate } }, { message });
}

function isLong(text: string): boolean {
  return text.length >= 32;
}

function LongText(): PropertyDecorator {
  return ValidateBy(
    { name: 'longText', validator: { validate: isLong } },
    { message: 'at least 32 characters', context: { isSecret: true } },
  );
}

function LongTexts(): PropertyDecorator {
  const validate = (texts: readonly string[]) => texts.every(isLong);
  const valid = ValidateBy(
    { name: 'longTexts', validator: { validate } },
    { message: 'keys of at least 32 characters, with commas between them', context: { isSecret: true } },
  );
  return applyDecorators(Listed(), valid) as PropertyDecorator;
}

function IsPostgresUrl(): PropertyDecorator {
  const validate = (text: string) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);
  return ValidateBy(
    { name: 'isPostgresUrl', validator: { validate } },
    { message: 'a URL like postgres://user:password@host:5432/database', context: { isSecret: true } },
  );
}
