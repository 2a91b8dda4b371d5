/**
 * Reads the settings from the environment and checks them before the first call. No message
 * contains the key.
 */

export interface Settings {
  readonly baseUrl: string;
  readonly key: string;
  /** The person for whom the agent works. */
  readonly actor: string | undefined;
  /** The holder of the key. If it is given, only refunds that it proposed are canceled. */
  readonly holder: string | undefined;
  readonly port: number | undefined;
}

const KEY = /^rk_(?:test|live)_[0-9A-Za-z]+$/;
const MAX_ACTOR_LENGTH = 100;
/**
 * Matches line breaks, controls, invisible characters other than the joiners of some scripts, and
 * spaces at the ends.
 */
const NO_NAME = /[\p{Zl}\p{Zp}\p{Cc}]|(?![\u200c\u200d])[\p{Cf}\p{DI}\u2800]|^\s|\s$/u;

const FAULTS = {
  TILLGATE_URL:
    'must be the URL of Tillgate, https:// or http://, without user information, query or fragment.',
  TILLGATE_KEY:
    'must be one whole restricted key, rk_…, with the right propose: any other key can do what an agent must not, such as approve its own refunds.',
  TILLGATE_ACTOR: 'must be 1 to 100 visible characters, with spaces only inside.',
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
  const isRight = {
    TILLGATE_URL: isServiceUrl(baseUrl),
    TILLGATE_KEY: KEY.test(key),
    TILLGATE_ACTOR: actor === undefined || isName(actor),
    PORT: port === undefined || (Number.isInteger(port) && port >= 1 && port <= 65_535),
  };
  const wrong = (Object.keys(FAULTS) as (keyof typeof FAULTS)[]).filter((name) => !isRight[name]);
  if (wrong.length > 0) return { faults: wrong.map((name) => `${name} ${FAULTS[name]}`) };
  return { baseUrl, key, actor, holder, port };
}

function isServiceUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
}

const isName = (text: string): boolean =>
  [...text].length <= MAX_ACTOR_LENGTH && !NO_NAME.test(text);
