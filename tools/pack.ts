/**
 * This program finishes a build. It compresses the OpenAPI document, the documents and the files of
 * /docs into dist/reference, copies what the examples read, and stamps the build.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import { allPages, documents, mapOfDocuments } from './documents.js';

const REFERENCE = join('src', 'operator', 'openapi', 'reference');
const BOOK = join('examples', 'ledger', 'book.sql');
const PACKED = join('dist', 'reference');
const COMMAND_LINE = join('dist', 'bundle', 'cli.js');
/** tools/build-if-changed.js compares the time of this file with those of the sources. */
const STAMP = join('dist', '.built');

/**
 * Returns the browser's script, which @scalar/fastify-api-reference contains without the 270
 * packages that it is built from.
 */
async function script(): Promise<Buffer> {
  const server = fastify();
  await server.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { statusCode, rawPayload } = await server.inject('/docs/js/scalar.js');
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference answered ${statusCode}.`);
  return rawPayload;
}

function pack(name: string, bytes: Buffer): void {
  const path = join(PACKED, `${name}.gz`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
}

// A document that is gone must not be served any more.
rmSync(join(PACKED, 'docs'), { recursive: true, force: true });
mkdirSync(PACKED, { recursive: true });
for (const name of ['index.html', 'start.js', 'icon.svg'])
  pack(name, readFileSync(join(REFERENCE, name)));
pack(
  'openapi.json',
  Buffer.from(JSON.stringify(JSON.parse(readFileSync('docs/openapi.json', 'utf8')))),
);
for (const { path, text } of documents()) pack(path, Buffer.from(text));
pack('llms.txt', Buffer.from(mapOfDocuments()));
pack('llms-full.txt', Buffer.from(allPages()));
pack('scalar.js', await script());
if (existsSync(BOOK)) copyFileSync(BOOK, join('dist', BOOK));
chmodSync(COMMAND_LINE, 0o755);
writeFileSync(STAMP, '');
