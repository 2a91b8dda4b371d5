/** The environment, read and checked once. Every wrong setting is reported at once, and nothing starts. */
export abstract class Config {
  /** PostgreSQL 15 or newer; undefined means the embedded one under `dataDir`. */
  abstract readonly databaseUrl: string | undefined;
  abstract readonly dataDir: string;
  abstract readonly host: string;
  abstract readonly port: number;
  abstract readonly logLevel: string;
  /** Requests per second for each organization and mode; 0 is no limit. */
  abstract readonly rateLimitRps: number;
  abstract readonly webhookAllowPrivate: boolean;
  abstract readonly idempotencyRetentionSeconds: number;
  abstract readonly eventRetentionDays: number;
  abstract readonly databasePoolSize: number;
  /** Processes that serve. */
  abstract readonly webConcurrency: number;
}

export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const HOUR_SECONDS = 3600;

/** Throws ConfigError. An empty variable counts as not set, as in `docker run -e NAME=`. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const settings = new Settings(environment);
  const config: Config = {
    databaseUrl: settings.postgresUrl('DATABASE_URL'),
    dataDir: settings.text('DATA_DIR', '.data'),
    host: settings.text('HOST', '127.0.0.1'),
    port: settings.integer('PORT', 3000, { min: 0, max: 65535 }),
    logLevel: settings.oneOf('LOG_LEVEL', 'info', LOG_LEVELS),
    rateLimitRps: settings.integer('RATE_LIMIT_RPS', 0, { min: 0, max: 1_000_000 }),
    webhookAllowPrivate: settings.oneOf('WEBHOOK_ALLOW_PRIVATE', 'false', ['true', 'false']) === 'true',
    // A year at most: each kept answer holds a whole body.
    idempotencyRetentionSeconds:
      settings.integer('IDEMPOTENCY_RETENTION_HOURS', 24, { min: 1, max: 8760 }) * HOUR_SECONDS,
    // A week at least: longer than any event is still on its way.
    eventRetentionDays: settings.integer('EVENT_RETENTION_DAYS', 90, { min: 7, max: 3650 }),
    databasePoolSize: settings.integer('DATABASE_POOL_SIZE', 10, { min: 2, max: 1000 }),
    webConcurrency: settings.integer('WEB_CONCURRENCY', 1, { min: 1, max: 64 }),
  };
  if (settings.faults.length > 0) throw new ConfigError(settings.faults);
  return config;
}

class Settings {
  readonly faults: string[] = [];
  private readonly environment: NodeJS.ProcessEnv;

  constructor(environment: NodeJS.ProcessEnv) {
    this.environment = environment;
  }

  text(name: string, fallback: string): string {
    return this.environment[name] || fallback;
  }

  integer(name: string, fallback: number, { min, max }: { min: number; max: number }): number {
    const text = this.text(name, String(fallback));
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) this.wrong(name, text, `a whole number from ${min} to ${max}`);
    return value;
  }

  oneOf(name: string, fallback: string, values: readonly string[]): string {
    const text = this.text(name, fallback);
    if (!values.includes(text)) this.wrong(name, text, `one of ${values.join(', ')}`);
    return text;
  }

  postgresUrl(name: string): string | undefined {
    const text = this.environment[name];
    if (!text) return undefined;
    if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
      // The value is left out: it usually holds a password.
      this.faults.push(`${name} must be a URL like postgres://user:password@host:5432/database.`);
    }
    return text;
  }

  private wrong(name: string, text: string, expected: string): void {
    this.faults.push(`${name} is ${JSON.stringify(text)}, but must be ${expected}.`);
  }
}
