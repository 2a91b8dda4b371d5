import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Gated } from '../http/gate.js';
import { CACHE } from './openapi.controller.js';

const SCRIPT = 'text/javascript; charset=utf-8';

/** What the build has packed (./reference/pack.ts), by path, with its media type. */
const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/docs': ['index.html', 'text/html; charset=utf-8'],
  '/docs/start.js': ['start.js', SCRIPT],
  '/docs/scalar.js': ['scalar.js', SCRIPT],
  '/docs/icon.svg': ['icon.svg', 'image/svg+xml'],
};

/** Two scripts, the description and an icon, all from here; no compiling of text to code, nothing sent anywhere. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  // Scalar's styles are elements that its script makes and attributes in what it renders: neither can be listed by hash.
  "style-src 'unsafe-inline'",
  // Scalar renders through Vue, whose policy is the only one that may make HTML out of text.
  "require-trusted-types-for 'script'",
  'trusted-types vue',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'cache-control': CACHE,
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
};

interface Packed {
  readonly path: string;
  readonly size: number;
  readonly digest: string;
}

/** The reference page, for people: /openapi.json rendered by Scalar, all of it from this service. */
@Controller()
@Gated('open')
export class ReferenceController {
  private readonly packed = new Map<string, Packed>();

  @Get(Object.keys(FILES))
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [name, type] = FILES[request.routeOptions.url ?? ''] as [string, string];
    const { path, size, digest } = await this.find(name);
    const isGzip = acceptsGzip(request.headers['accept-encoding']);
    const etag = `"${digest}${isGzip ? '-gzip' : ''}"`;
    reply.headers({ ...HEADERS, etag });
    if (matches(request.headers['if-none-match'], etag)) return void (await reply.code(304).send());
    reply.header('content-type', type);
    if (isGzip) reply.headers({ 'content-encoding': 'gzip', 'content-length': size });
    // From the disk each time: megabytes that are rarely asked for have no place in memory.
    await reply.send(isGzip ? createReadStream(path) : unpacked(path));
  }

  private async find(name: string): Promise<Packed> {
    const packed = this.packed.get(name) ?? (await look(name));
    this.packed.set(name, packed);
    return packed;
  }
}

async function look(name: string): Promise<Packed> {
  const path = fileURLToPath(import.meta.resolve(`#reference/${name}.gz`));
  const bytes = await readFile(path);
  return { path, size: bytes.length, digest: createHash('sha256').update(bytes).digest('base64url') };
}

function unpacked(path: string): Readable {
  return pipeline(createReadStream(path), createGunzip(), () => undefined);
}

/** Every browser does; `gzip;q=0` is a refusal. */
function acceptsGzip(header: string | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?!\.0*[1-9]))/i.test(header ?? '');
}

function matches(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((one) => one.trim());
  return header === '*' || known.includes(etag);
}
