/**
 * The proxy of docker/ stands before the service. It passes each redirect of a page, logs no secret
 * of a page, and keeps the surfaces of the ledger and of operators from the public.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.js';
import { SMALLEST } from '../support/client.js';
import { openPage, visit } from '../support/page.js';
import { until } from '../support/processes.js';
import { head, sendBytes } from '../support/raw.js';
import { Shop } from '../support/shop.js';
import { freePort } from '../support/sockets.js';

const HAS_NGINX = spawnSync('nginx', ['-v']).error === undefined;
const reason = HAS_NGINX ? '' : ' (skipped: no nginx found)';
const testIfFound = HAS_NGINX ? test : test.skip;

/** Starts nginx with the configuration of docker/ before this service, or closes the service. */
async function startNginx(service: Service) {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  const config = readFileSync('docker/nginx/nginx.conf', 'utf8')
    .replaceAll(/server tillgate-\d:3000/g, `server ${new URL(service.url).host}`)
    .replaceAll('/var/log/nginx', folder)
    .replace('listen 8080', `listen 127.0.0.1:${port}`);
  writeFileSync(join(folder, 'nginx.conf'), config);
  const directives = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;`;
  const words = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', directives];
  const nginx = spawn('nginx', words);
  const ended = once(nginx, 'close');
  let said = '';
  nginx.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const url = `http://127.0.0.1:${port}`;
  const close = async () => {
    nginx.kill();
    await ended;
    rmSync(folder, { recursive: true });
  };
  const answers = () => {
    if (nginx.exitCode !== null) throw new Error(`nginx ended by itself: ${said}`);
    return visit(url).then(
      () => true,
      () => false,
    );
  };
  await until(answers).catch(async (error) => {
    await close();
    await service.close();
    throw error;
  });
  const logged = () =>
    ['access.log', 'error.log'].map((file) => readFileSync(join(folder, file), 'utf8')).join('');
  return { url, logged, close };
}

testIfFound(
  `nginx passes the API and the pages, and logs no secret of a page${reason}`,
  async () => {
    const service = await startService({ config: { publicUrl: 'https://pay.example' } });
    const { url, logged, close } = await startNginx(service);
    try {
      const shop = await Shop.open(service);
      const success_url = `https://shop.example/${'語'.repeat(886)}`;
      const { id, path } = await openPage(shop, { ...SMALLEST, success_url });
      expect((await visit(url + path)).status).toBe(200);
      await shop.record({ amount: 1000, checkout_session: id });
      const { status, location } = await visit(`${url}${path}/return`);
      expect([status, location]).toEqual([303, new URL(success_url).href]);
      await service.application.close();
      expect((await visit(`${url}/${path}`)).status).toBe(502);
      expect((await visit(`${url}/v1/refunds`)).status).toBe(502);
      const lines = logged();
      expect(lines).toContain('"GET /c/" 303');
      expect(lines).toContain('/v1/refunds');
      expect(lines).not.toContain(path.split('/').at(-1));
    } finally {
      await close();
      await service.close();
    }
  },
);

const encoded = (text: string): string =>
  text.replaceAll(/[^/]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

/** Returns spellings of this path that nginx refuses, because they mean the same. */
function spellingsOf(path: string): string[] {
  const around = ['/', '/.', '/..', '/v1/..', '/v1/%2e%2e', '/v1/.%2E', '/c/x/../..', '/c/..%2f/'];
  const origins = ['http://x', 'HTTP://X', 'http://x:80', 'http://x/v1/..', 'https://x'];
  return [
    ...['', ...around, ...origins].map((before) => before + path),
    ...['?', '?limit=1', '#x', '%00', '%0a'].map((after) => path + after),
    ...[encoded(path), path.replace('e', '%65')],
    ...[path.replace(/(?<!^)\//, '%2F'), path.replaceAll('/', '//')],
  ];
}

/** Returns paths that are similar, which nginx passes, and of which the service knows none. */
function lookalikesOf(path: string): string[] {
  const around = ['/;', '/..;', '/%5c', '/\\', '/%20', '/%0a', '/%c0%af', '/%25', '/v1/...'];
  return [
    ...around.map((before) => before + path),
    ...[path.toUpperCase(), path.replace('/', '/%25'), path.replace(/(?<=^\/\w+)/, ';x')],
    ...[path.replace(/(?<=^\/\w+)/, '.'), path.replace(/(?<=^\/\w+)/, '%5c..')],
  ];
}

const HIDDEN = ['/ledger/v1/refunds', '/operator/v1/organizations', '/metrics'];

testIfFound(`nginx hides the other surfaces, however a path is spelled${reason}`, async () => {
  const service = await startService();
  const { url, close } = await startNginx(service);
  const ask = async (target: string, version: string, ...lines: readonly string[]) => {
    const { status, headers } = await sendBytes(
      url,
      head(`GET ${target} HTTP/${version}`, ...lines),
    );
    return { status, isOfService: headers.has('request-id') };
  };
  try {
    expect(await ask('/livez', '1.0')).toEqual({ status: 200, isOfService: true });
    for (const hidden of HIDDEN) {
      for (const target of spellingsOf(hidden)) {
        for (const request of [['1.1', 'Host: x'], ['1.0']] as [string, ...string[]][]) {
          const { status, isOfService } = await ask(target, ...request);
          expect([target, [400, 404].includes(status), isOfService]).toEqual([target, true, false]);
        }
      }
      for (const target of lookalikesOf(hidden)) {
        const { status } = await ask(target, '1.1', 'Host: x');
        expect([target, [400, 404].includes(status)]).toEqual([target, true]);
      }
    }
  } finally {
    await close();
    await service.close();
  }
});
