/**
 * Runs Jest's own test framework without its virtual machines. A worker loads Nest and the other
 * packages once, and not anew for each test file. Files share these and the globals, so a test
 * restores what it changes in them.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import runFile from 'jest-circus/runner';
import './typescript.js';

const require = createRequire(import.meta.url);
let files = 0;
const HANDLERS = Symbol.for('EVENT_HANDLERS');

/** This is the part of Jest's runtime that the framework needs. */
const runtime = {
  requireModule: require,
  /** Jest loads this package with each test file, because it holds the file's tests. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[HANDLERS];
    return require(path);
  },
  unstable_shouldLoadAsEsm: () => true,
  unstable_importModule(path) {
    files += 1;
    return import(`${pathToFileURL(path).href}?${files}`);
  },
  setGlobalsForRuntime: () => undefined,
  enterTestCode: () => undefined,
  leaveTestCode: () => undefined,
};

const runner = (globalConfig, config, _environment, _runtime, path, send) => {
  // Jest looks for source maps where its own loader puts them. Node knows the maps of this loader.
  Error.prepareStackTrace = undefined;
  return runFile.default(globalConfig, config, { global: globalThis }, runtime, path, send);
};

export default runner;
