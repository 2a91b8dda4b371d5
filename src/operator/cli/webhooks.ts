import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Command } from '@commander-js/extra-typings';
import { verifyWebhook } from '../../../client/src/index.js';
import { ManageOrganizations } from '../../modules/access/index.js';
import { ORGANIZATION_ID } from '../../shared/id.js';
import { committed, withApplication } from './application.js';
import { id, wholeNumber } from './arguments.js';
import { print } from './run.js';

const SECRET = /^whsec_[A-Za-z0-9+/]+={0,2}$/;

export function define(webhooks: Command): void {
  webhooks
    .command('secret')
    .description('the secret that signs an organization’s webhooks')
    .command('rotate')
    .description('replace the secret: the old one signs as well for 24 hours')
    .requiredOption('--org <organization>', 'whose secret', id(ORGANIZATION_ID))
    .action(({ org }) =>
      withApplication(async (application) => {
        const manage = application.get(ManageOrganizations);
        const { secret, previousExpiresAt } = await committed(application, (unit) =>
          manage.rotateWebhookSecret(unit, org),
        );
        return {
          id: org,
          webhook_secret: secret,
          previous_expires_at: Math.floor(previousExpiresAt / 1000),
        };
      }),
    );

  webhooks
    .command('listen')
    .summary('receive and verify webhooks until Ctrl-C')
    .description('receive and verify webhooks until Ctrl-C, with the secret in WEBHOOK_SECRET')
    .option('--port <port>', 'where to listen; 0 picks a free port', wholeNumber(0, 65_535), 4000)
    .action(listen);
}

async function listen({ port }: { port: number }): Promise<void> {
  const secret = secretOf(process.env);
  const counts = { verified: 0, refused: 0 };
  const server = createServer(async (request, response) => {
    const id = request.headers['webhook-id'];
    try {
      const received = { body: await text(request), headers: request.headers, secret };
      const { type, sequence, data } = await verifyWebhook(received);
      counts.verified += 1;
      process.stdout.write(`verified ${id} ${type} ${data.object.id} sequence ${sequence}\n`);
      response.writeHead(204).end();
    } catch (error) {
      counts.refused += 1;
      process.stdout.write(`refused ${id ?? 'without webhook-id'}: ${(error as Error).message}\n`);
      response.writeHead(400).end();
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  process.stderr.write(
    `Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/ until Ctrl-C.\n`,
  );
  await once(process, 'SIGINT');
  print(counts);
}

/**
 * The secret comes from the environment, because every user of a machine can see the arguments of
 * its processes.
 */
function secretOf({ WEBHOOK_SECRET: secret = '' }: NodeJS.ProcessEnv): string {
  if (SECRET.test(secret)) return secret;
  throw new Error(
    'WEBHOOK_SECRET must be the secret of the organization or endpoint: whsec_ and base64.',
  );
}
