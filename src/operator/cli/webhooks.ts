import { once } from 'node:events';
import type { Command } from '@commander-js/extra-typings';
import { Webhook } from 'standardwebhooks';
import { ManageOrganizations } from '../../modules/access/index.js';
import { ORGANIZATION_ID } from '../../shared/id.js';
import { id, wholeNumber } from './arguments.js';
import { receiveWebhooks } from './development-receiver.js';
import { print, withApplication } from './run.js';

export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhook').description('webhooks: secrets, and a receiver for development');

  webhooks
    .command('secret')
    .description('the secret that signs an organization’s webhooks')
    .command('rotate')
    .description('replace the secret: the old one signs as well for 24 hours')
    .requiredOption('--org <organization>', 'whose secret', id(ORGANIZATION_ID))
    .action(({ org }) =>
      withApplication(async (application) => {
        const { secret, previousExpiresAt } = await application.get(ManageOrganizations).rotateWebhookSecret(org);
        return { id: org, webhook_secret: secret, previous_expires_at: Math.floor(previousExpiresAt / 1000) };
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
  const webhook = webhookOf(process.env.WEBHOOK_SECRET);
  const lines = { verified: 0, refused: 0 };
  const say = (line: string) => {
    lines[line.startsWith('verified') ? 'verified' : 'refused'] += 1;
    process.stdout.write(`${line}\n`);
  };
  const receiver = await receiveWebhooks({ port, webhook, say });
  process.stderr.write(`Listening on http://127.0.0.1:${receiver.port}/ until Ctrl-C.\n`);
  await once(process, 'SIGINT');
  await receiver.close();
  print(lines);
}

/** The secret comes from the environment, because every user of a machine can see the arguments of its processes. */
function webhookOf(secret = ''): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    throw new Error('WEBHOOK_SECRET must be the secret of the organization or endpoint: whsec_ and base64.');
  }
}
