/**
 * `npm run generate` writes every file that is made from the code: the description of the API, the
 * types of the client, the reference of the metrics, the SQL of each module, and the diagrams of
 * the guides.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DESCRIPTION = 'docs/openapi.json';
const CLIENT_TYPES = 'client/src/description.ts';
const METRICS = 'docs/reference/metrics.md';

const node = (...words) =>
  execFileSync(process.execPath, words, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
const packaged = (path, ...words) => node(join('node_modules', path), ...words);

// A file is written after its generator has succeeded, so a failure leaves the file as it was.
writeFileSync(DESCRIPTION, node('dist/tools/openapi/print.js'));
packaged(
  'openapi-typescript/bin/cli.js',
  DESCRIPTION,
  '--default-non-nullable',
  'false',
  '--output',
  CLIENT_TYPES,
);
packaged('@biomejs/biome/bin/biome', 'check', '--write', CLIENT_TYPES);
writeFileSync(METRICS, node('dist/tools/metrics.js'));
node('dist/tools/statements/print.js');
node('dist/tools/diagrams/print.js');
// The service sends the packed description, so the build is finished again.
node('dist/tools/pack.js');
