/**
 * Settings that are secrets can be in files, as Docker, Kubernetes and systemd provide them: the
 * variable `<NAME>_FILE` names the file of `<NAME>`.
 */
import { readFileSync } from 'node:fs';

const IN_FILES = [
  'DATABASE_URL',
  'ENCRYPTION_KEY',
  'DECRYPTION_KEYS',
  'METRICS_TOKEN',
  'WEBHOOK_PROXY',
];

interface ReadFiles {
  readonly values: NodeJS.ProcessEnv;
  readonly faults: string[];
}

/**
 * Returns the variables with the values that are in files, and what is wrong with files. A fault
 * has the name of a file, and nothing of its content.
 */
export function withFiles(environment: NodeJS.ProcessEnv): ReadFiles {
  const values = { ...environment };
  const faults: string[] = [];
  for (const name of IN_FILES) {
    const path = environment[`${name}_FILE`];
    if (!path) continue;
    if (environment[name]) {
      faults.push(`${name} and ${name}_FILE are both set: leave one of them out.`);
      continue;
    }
    try {
      values[name] = valueIn(path);
    } catch (error) {
      faults.push(`${name}_FILE is ${JSON.stringify(path)}, but ${whyUnread(error)}.`);
    }
  }
  return { values, faults };
}

/** Names the setting in a message, with the variable of its file if it is in one. */
export function sourceOf(name: string, environment: NodeJS.ProcessEnv): string {
  const isInFile = IN_FILES.includes(name) && environment[`${name}_FILE`];
  return isInFile ? `${name}, in the file of ${name}_FILE,` : name;
}

/**
 * An empty file is refused: if it counted as not set, the service would use the embedded database,
 * or encrypt nothing.
 */
function valueIn(path: string): string {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  const value = text.replace(/\n$/, '');
  if (value === '') throw new Error('the file is empty');
  return value;
}

function whyUnread(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'the file is not text in UTF-8';
  return code ? `the file cannot be read (${code})` : message;
}
