/**
 * Reads the settings from the environment and checks them before the first call. No message
 * contains the key.
 */
import { isPersonName } from '../../src/shared/nickname.js';
import { type Caller, isRestrictedKey } from './caller.js';

export interface Settings {
  readonly baseUrl: string;
  /** One key may make so many calls in a second. 0 means that there is no limit. */
  readonly rateLimitRps: number;
  /** This is the caller over stdio. Over HTTP, each request names its own. */
  readonly caller: Caller | undefined;
  readonly port: number | undefined;
}

const DEFAULT_RATE_LIMIT_RPS = 20;
const MAX_NAME_LENGTH = 100;
const A_NAME = 'of 1 to 100 visible characters, with spaces only inside.';

const FAULTS = {
  TILLGATE_URL:
    'must be the URL of Tillgate, https:// or http://, without user information, query or fragment.',
  TILLGATE_KEY:
    'must be one whole restricted key, rk_…: any other key can do what an agent must not, such as approve its own refunds. With PORT it must not be set: each caller sends its own.',
  TILLGATE_ACTOR: `must be one name ${A_NAME}`,
  TILLGATE_HOLDER: `must be the holder of the key, a name ${A_NAME}`,
  RATE_LIMIT_RPS: 'must be a whole number from 0 on.',
  PORT: 'must be a port from 1 to 65535.',
};

/**
 * Returns the settings, or every fault of them with the name of its variable. An empty variable
 * counts as missing.
 */
export function settingsOf(environment: NodeJS.ProcessEnv): Settings | { faults: string[] } {
  const { TILLGATE_URL: baseUrl = '', TILLGATE_KEY: key = '' } = environment;
  const actor = environment.TILLGATE_ACTOR || undefined;
  const holder = environment.TILLGATE_HOLDER || undefined;
  const port = environment.PORT ? Number(environment.PORT) : undefined;
  const rateLimitRps = Number(environment.RATE_LIMIT_RPS || DEFAULT_RATE_LIMIT_RPS);
  const isRight = {
    TILLGATE_URL: isServiceUrl(baseUrl),
    TILLGATE_KEY: port === undefined ? isRestrictedKey(key) : key === '',
    TILLGATE_ACTOR: actor === undefined || isName(actor),
    TILLGATE_HOLDER: holder === undefined || isName(holder),
    RATE_LIMIT_RPS: Number.isSafeInteger(rateLimitRps) && rateLimitRps >= 0,
    PORT: port === undefined || (Number.isInteger(port) && port >= 1 && port <= 65_535),
  };
  const wrong = (Object.keys(FAULTS) as (keyof typeof FAULTS)[]).filter((name) => !isRight[name]);
  if (wrong.length > 0) return { faults: wrong.map((name) => `${name} ${FAULTS[name]}`) };
  const caller = port === undefined ? { key, actor, holder } : undefined;
  return { baseUrl, rateLimitRps, caller, port };
}

/** A question mark or a space would be in the middle of each address that is called. */
function isServiceUrl(text: string): boolean {
  if (!URL.canParse(text) || /[\s?#]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username + password === '';
}

/** Tillgate takes no other names. */
const isName = (text: string): boolean => [...text].length <= MAX_NAME_LENGTH && isPersonName(text);
