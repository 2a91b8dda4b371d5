import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Controller, Get, NotFoundException, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../request/route.js';

const SCRIPT = 'text/javascript; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';

/** The build has packed these files (tools/pack.ts). Each path has a file and its media type. */
const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/openapi.json': ['openapi.json', 'application/json; charset=utf-8'],
  '/llms.txt': ['llms.txt', TEXT],
  '/llms-full.txt': ['llms-full.txt', TEXT],
  '/docs': ['index.html', 'text/html; charset=utf-8'],
  '/docs/start.js': ['start.js', SCRIPT],
  '/docs/scalar.js': ['scalar.js', SCRIPT],
  '/docs/icon.svg': ['icon.svg', 'image/svg+xml'],
};

/**
 * The policy permits scripts, the description and an icon from this service only. It permits no
 * eval and no requests to other hosts.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  // Scalar creates style elements and attributes at run time, so their hashes cannot be listed.
  "style-src 'unsafe-inline'",
  // Scalar renders with Vue, whose policy is the only one that may create HTML from text.
  "require-trusted-types-for 'script'",
  'trusted-types vue',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PACKED = '.gz';
const DOCUMENTS = 'docs';

const HEADERS = {
  // A client may use the description of the previous release for five minutes.
  'cache-control': 'public, max-age=300',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
};

@Controller()
@Public()
export class ReferenceController {
  private readonly files = new Map<string, Promise<Buffer>>();
  private readonly documents = packedDocuments();

  @Get(Object.keys(FILES))
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [name, type] = FILES[request.routeOptions.url ?? ''] as [string, string];
    await this.send(name, type, request, reply);
  }

  /** Sends a document as Markdown, or a file that a document links to. */
  @Get('/docs/*')
  async document(
    @Param('*') path: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!this.documents.has(path)) throw new NotFoundException();
    const type = extname(path) === '.md' ? MARKDOWN : TEXT;
    await this.send(`${DOCUMENTS}/${path}`, type, request, reply);
  }

  private async send(
    name: string,
    type: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const isGzip = acceptsGzip(request.headers['accept-encoding']);
    reply.headers({ ...HEADERS, 'content-type': type });
    if (isGzip) reply.header('content-encoding', 'gzip');
    await reply.send(await this.bytesOf(name, isGzip));
  }

  @Get('/')
  async welcome(@Res() reply: FastifyReply): Promise<void> {
    await reply.headers(HEADERS).redirect('/docs', 302);
  }

  /**
   * The files stay in memory, and every response sends the same bytes, so a slow client needs
   * neither memory nor an open file.
   */
  private bytesOf(name: string, isGzip: boolean): Promise<Buffer> {
    const file = `${name} ${isGzip}`;
    const bytes = this.files.get(file) ?? read(name, isGzip);
    this.files.set(file, bytes);
    return bytes;
  }
}

/** The paths below /docs of the documents that the build has packed. */
function packedDocuments(): ReadonlySet<string> {
  const folder = fileURLToPath(import.meta.resolve(`#reference/${DOCUMENTS}`));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const packed = names.filter((name) => name.endsWith(PACKED));
  return new Set(packed.map((name) => name.slice(0, -PACKED.length)));
}

async function read(name: string, isGzip: boolean): Promise<Buffer> {
  const packed = await readFile(fileURLToPath(import.meta.resolve(`#reference/${name}${PACKED}`)));
  return isGzip ? packed : promisify(gunzip)(packed);
}

/** Every browser accepts gzip. The value `gzip;q=0` refuses it. */
function acceptsGzip(header: string | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?!\.0*[1-9]))/i.test(header ?? '');
}
