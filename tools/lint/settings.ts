/** Checks settings that the files of a deployment contain. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { readConfig } from '../../src/platform/config.js';

/**
 * Each variable must be a setting with an accepted value: an unknown one changes nothing, and a
 * wrong value throws. A file of a container cannot be read here.
 */
export function assertSettings(environment: Readonly<Record<string, string>>): void {
  const defaults = readConfig({});
  for (const [name, value] of Object.entries(environment)) {
    const read = () => readConfig({ [name]: value });
    if (name.endsWith('_FILE')) {
      const message = `${name} is "${value}", but the file cannot be read (ENOENT).`;
      assert.throws(read, (error: Error) => error.message.includes(message));
    } else assert(!isDeepStrictEqual(read(), defaults), `${name}=${value} changes no setting.`);
  }
}

/** Each program must be one that the build makes. */
export function assertPrograms(words: readonly string[] = []): void {
  const programs = words.filter((word) => word.startsWith('dist/'));
  assert.deepEqual(
    programs.filter((path) => !existsSync(path)),
    [],
  );
}
