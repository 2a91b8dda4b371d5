import { once } from 'node:events';
import type { Command } from '@commander-js/extra-typings';
import { ManageWebhookSecret } from '../modules/access/index.js';
import { EVENT_ID, LedgerEvents, ResendEvent, WEBHOOK_ENDPOINT_ID } from '../modules/events/index.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { notFound } from '../shared/errors.js';
import { ORGANIZATION_ID } from '../shared/id.js';
import { id, port, webhookSecret } from './arguments.js';
import { receiveWebhooks } from './development-receiver.js';
import { print, withApplication } from './run.js';
import { addEndpointCommands } from './webhook-endpoints.js';

export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhook').description('webhooks: secrets, deliveries, a receiver for development');

  webhooks
    .command('secret')
    .description('the secret that signs an organization’s webhooks')
    .command('rotate')
    .description('replace the secret: the old one signs as well for 24 hours')
    .requiredOption('--org <organization>', 'whose secret', id(ORGANIZATION_ID))
    .action(({ org }) =>
      withApplication(async (application) => {
        const { secret, previousExpiresAt } = await application.get(ManageWebhookSecret).rotate(org);
        return { id: org, webhook_secret: secret, previous_expires_at: Math.floor(previousExpiresAt / 1000) };
      }),
    );

  webhooks
    .command('resend')
    .description('deliver an event once more')
    .argument('<event>', 'its id, evt_…', id(EVENT_ID))
    .option('--endpoint <endpoint>', 'only to this one, we_…', id(WEBHOOK_ENDPOINT_ID))
    .action((event, { endpoint }) =>
      withApplication(async (application) => {
        const owner = await application.get(LedgerEvents).ownerOf(event);
        if (!owner) throw notFound('id');
        const decide = () => application.get(ResendEvent).execute(owner, event, endpoint);
        const { dueAt } = await application.get(UnitOfWork).commit(decide);
        return { id: event, next_attempt_at: Math.floor(dueAt / 1000) };
      }),
    );

  addEndpointCommands(webhooks);

  webhooks
    .command('listen')
    .description('receive and verify webhooks until Ctrl-C')
    .option('--port <port>', 'where to listen; 0 picks a free port', port, 4000)
    .requiredOption('--secret <secret>', 'whsec_…, of the organization or of an endpoint', webhookSecret)
    .action(listen);
}

/** Prints a line for each webhook until Ctrl-C. It needs no database, because the secret is on the command line. */
async function listen({ port, secret }: { port: number; secret: string }): Promise<void> {
  const lines = { verified: 0, refused: 0 };
  const say = (line: string) => {
    lines[line.startsWith('verified') ? 'verified' : 'refused'] += 1;
    process.stdout.write(`${line}\n`);
  };
  const receiver = await receiveWebhooks({ port, secret, say });
  process.stderr.write(`Listening on http://127.0.0.1:${receiver.port}/ until Ctrl-C.\n`);
  await once(process, 'SIGINT');
  await receiver.close();
  print(lines);
}
