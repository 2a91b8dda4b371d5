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
import { startService } from '../kit/service.js';
import { SMALLEST } from '../support/client.js';
import { openPage, visit } from '../support/page.js';
import { until } from '../support/processes.js';
import { Shop } from '../support/shop.js';
import { freePort } from '../support/sockets.js';

const HAS_NGINX = spawnSync('nginx', ['-v']).error === undefined;
const reason = HAS_NGINX ? '' : ' (skipped: no nginx found)';

(HAS_NGINX ? test : test.skip)(
  `nginx passes the API and the pages, and hides the other surfaces${reason}`,
  async () => {
    const service = await startService({ config: { publicUrl: 'https://pay.example' } });
    const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
    const port = await freePort();
    const config = readFileSync('docker/nginx/nginx.conf', 'utf8')
      .replaceAll(/server tillgate-\d:3000/g, `server ${new URL(service.url).host}`)
      .replaceAll('/var/log/nginx', folder)
      .replace('listen 8080', `listen 127.0.0.1:${port}`);
    writeFileSync(join(folder, 'nginx.conf'), config);
    const directives = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;`;
    const nginx = spawn('nginx', [
      '-p',
      folder,
      '-c',
      join(folder, 'nginx.conf'),
      '-g',
      directives,
    ]);
    const ended = once(nginx, 'close');
    let said = '';
    nginx.stderr.on('data', (chunk) => {
      said += chunk;
    });
    try {
      const url = `http://127.0.0.1:${port}`;
      await until(() => {
        if (nginx.exitCode !== null) throw new Error(`nginx ended by itself: ${said}`);
        return visit(url).then(
          () => true,
          () => false,
        );
      });
      const shop = await Shop.open(service);
      for (const hidden of ['/ledger/v1/refunds', '/operator/v1/organizations', '/metrics']) {
        for (const spelled of [hidden, `/${hidden}`, hidden.replace('e', '%65')]) {
          const { status, headers } = await visit(url + spelled);
          const isOfService = headers.has('request-id');
          expect([spelled, status, isOfService]).toEqual([spelled, 404, false]);
        }
      }
      const success_url = `https://shop.example/${'語'.repeat(886)}`;
      const { id, path } = await openPage(shop, { ...SMALLEST, success_url });
      expect((await visit(url + path)).status).toBe(200);
      await shop.record({ amount: 1000, checkout_session: id });
      const { status, location } = await visit(`${url}${path}/return`);
      expect([status, location]).toEqual([303, new URL(success_url).href]);
      await service.application.close();
      expect((await visit(`${url}/${path}`)).status).toBe(502);
      expect((await visit(`${url}/v1/refunds`)).status).toBe(502);
      const logged = ['access.log', 'error.log']
        .map((file) => readFileSync(join(folder, file), 'utf8'))
        .join('');
      expect(logged).toContain('"GET /c/" 303');
      expect(logged).toContain('/v1/refunds');
      expect(logged).not.toContain(path.split('/').at(-1));
    } finally {
      nginx.kill();
      await ended;
      rmSync(folder, { recursive: true });
      await service.close();
    }
  },
);
