/** The commands about webhooks. */
import { once } from 'node:events';
import type { INestApplicationContext } from '@nestjs/common';
import { ManageWebhookSecret } from '../modules/access/index.js';
import { ResendEvent } from '../modules/events/index.js';
import type { Arguments } from './arguments.js';
import { receiveWebhooks } from './development-receiver.js';

export const LISTEN_USAGE = '--port <port> --secret <whsec_…>';

export async function rotateWebhookSecret(application: INestApplicationContext, given: Arguments) {
  const id = given.id('org', 'org');
  const { secret, previousExpiresAt } = await application.get(ManageWebhookSecret).rotate(id);
  return { id, webhook_secret: secret, previous_expires_at: Math.floor(previousExpiresAt / 1000) };
}

export async function resendEvent(application: INestApplicationContext, given: Arguments) {
  const id = given.subjectId('evt');
  return { id, next_attempt_at: Math.floor((await application.get(ResendEvent).execute(id)) / 1000) };
}

/** Prints a line for each webhook until Ctrl-C. Needs no database: what it verifies with is on the command line. */
export async function listenForWebhooks(given: Arguments) {
  const lines = { verified: 0, refused: 0 };
  const say = (line: string) => {
    lines[line.startsWith('verified') ? 'verified' : 'refused'] += 1;
    process.stdout.write(`${line}\n`);
  };
  const receiver = await receiveWebhooks({ port: given.port('port'), secret: given.required('secret'), say });
  process.stderr.write(`Listening on http://127.0.0.1:${receiver.port}/ until Ctrl-C.\n`);
  await once(process, 'SIGINT');
  await receiver.close();
  return lines;
}
