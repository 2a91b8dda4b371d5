/**
 * Node loads TypeScript through SWC (tsc checks the types), and `@jest/globals` as the globals of
 * the file that runs. A module passes the query of its URL on to its imports, so a test file with a
 * new query has modules of its own, except for packages.
 */
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const GLOBALS = new URL('globals.js', import.meta.url).href;
const OPTIONS = {
  swcrc: false,
  sourceMaps: 'inline',
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
  module: { type: 'es6' },
};

const compiled = new Map();

process.setSourceMapsEnabled(true);
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
    const [importer, file] = context.parentURL?.split('?') ?? [];
    if (specifier.startsWith('.') && importer?.endsWith('.ts')) {
      const source = new URL(specifier.replace(/\.js(?=$|\?)/, '.ts'), importer);
      source.search ||= file;
      if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    const [source] = url.split('?');
    if (!source.endsWith('.ts')) return next(url, context);
    if (!compiled.has(source)) compiled.set(source, compile(fileURLToPath(source)));
    return { format: 'module', source: compiled.get(source), shortCircuit: true };
  },
});

function compile(filename) {
  return transformSync(readFileSync(filename, 'utf8'), { ...OPTIONS, filename }).code;
}
