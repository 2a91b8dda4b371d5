import type { Command } from '@commander-js/extra-typings';
import type { INestApplicationContext } from '@nestjs/common';
import { FindOrganization } from '../modules/access/index.js';
import {
  ChangeWebhookEndpoint,
  CreateWebhookEndpoint,
  DeleteWebhookEndpoint,
  deletedView,
  deliveryView,
  ListWebhookEndpoints,
  RotateEndpointSecret,
  TestWebhookEndpoint,
  WEBHOOK_ENDPOINT_ID,
  webhookEndpointView,
  withSecretView,
} from '../modules/events/index.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { ALL_EVENTS } from '../platform/facts.js';
import { listView } from '../platform/http/list.view.js';
import type { Caller, Mode } from '../shared/caller.js';
import type { Decision } from '../shared/decision.js';
import { NO_ORGANIZATION, ORGANIZATION_ID } from '../shared/id.js';
import { collect, description, eventType, id, modeOption, overlap, webhookUrl } from './arguments.js';
import { withApplication } from './run.js';

interface Owner {
  readonly mode: Mode;
  readonly org?: string | undefined;
}

/** Endpoints without an organization belong to the ledger. */
const callerOf = ({ org, mode }: Owner): Caller => ({ organization: org ?? NO_ORGANIZATION, mode });

const commit = <Result>(application: INestApplicationContext, decide: () => Promise<Decision<Result>>) =>
  application.get(UnitOfWork).commit(decide);

export function addEndpointCommands(webhooks: Command): void {
  const endpoints = webhooks.command('endpoint').description('where events are sent; without --org, the ledger’s');
  addCreate(endpoints);
  addList(endpoints);
  addSwitch(endpoints, 'enable', 'send events to it', true);
  addSwitch(endpoints, 'disable', 'send nothing to it for now', false);
  addDelete(endpoints);
  addRotate(endpoints);
  addTest(endpoints);
}

const about = (endpoints: Command, name: string, description: string) =>
  endpoints
    .command(name)
    .description(description)
    .addOption(modeOption())
    .option('--org <organization>', 'whose endpoint it is', id(ORGANIZATION_ID));

const aboutOne = (endpoints: Command, name: string, description: string) =>
  about(endpoints, name, description).argument('<endpoint>', 'its id, we_…', id(WEBHOOK_ENDPOINT_ID));

function addCreate(endpoints: Command): void {
  about(endpoints, 'create', 'create one, and print its secret, which is shown only once')
    .requiredOption('--url <url>', 'where the events are sent', webhookUrl)
    .option(
      '--event <type>',
      'a type of events that are sent; repeat it for more, leave it out for all',
      collectType,
      [],
    )
    .option('--description <text>', 'what it is for', description)
    .action(({ url, event, description = null, ...owner }) =>
      withApplication(async (application) => {
        if (owner.org !== undefined) await application.get(FindOrganization).byId(owner.org);
        const input = { url, events: event.length > 0 ? event : [ALL_EVENTS], enabled: true, description };
        const create = application.get(CreateWebhookEndpoint);
        return withSecretView(await commit(application, () => create.execute(callerOf(owner), input)));
      }),
    );
}

const collectType = (text: string, before: string[]): string[] => [...new Set(collect(eventType(text), before))];

function addList(endpoints: Command): void {
  about(endpoints, 'list', 'list them, the newest first').action((owner) =>
    withApplication(async (application) => {
      const page = { limit: 100, cursor: undefined };
      return listView(await application.get(ListWebhookEndpoints).execute(callerOf(owner), page), webhookEndpointView);
    }),
  );
}

function addSwitch(endpoints: Command, name: string, description: string, enabled: boolean): void {
  aboutOne(endpoints, name, description).action((endpoint, owner) =>
    withApplication(async (application) => {
      const change = application.get(ChangeWebhookEndpoint);
      const decide = () => change.execute(callerOf(owner), endpoint, { enabled });
      return webhookEndpointView(await commit(application, decide));
    }),
  );
}

function addDelete(endpoints: Command): void {
  aboutOne(endpoints, 'delete', 'delete it; nothing more is sent to it').action((endpoint, owner) =>
    withApplication(async (application) => {
      const remove = application.get(DeleteWebhookEndpoint);
      return deletedView(await commit(application, () => remove.execute(callerOf(owner), endpoint)));
    }),
  );
}

function addRotate(endpoints: Command): void {
  aboutOne(endpoints, 'rotate', 'replace its secret')
    .option('--overlap <span>', 'for how long the old secret signs as well', overlap, overlap('1d'))
    .action((endpoint, { overlap, ...owner }) =>
      withApplication(async (application) => {
        const rotate = application.get(RotateEndpointSecret);
        const decide = () => rotate.execute(callerOf(owner), endpoint, overlap);
        return withSecretView(await commit(application, decide));
      }),
    );
}

function addTest(endpoints: Command): void {
  aboutOne(endpoints, 'test', 'send it a webhook.test event, and print the attempt').action((endpoint, owner) =>
    withApplication(async (application) => {
      const test = application.get(TestWebhookEndpoint);
      const represent = (one: Parameters<typeof webhookEndpointView>[0]) => JSON.stringify(webhookEndpointView(one));
      return deliveryView(await commit(application, () => test.execute(callerOf(owner), endpoint, represent)));
    }),
  );
}
