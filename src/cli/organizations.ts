import { type Command, Option } from '@commander-js/extra-typings';
import type { INestApplicationContext } from '@nestjs/common';
import { CreateOrganization, FindOrganization, ManageApiKeys, type Organization } from '../modules/access/index.js';
import { FindPaymentUrl, SetPaymentUrl } from '../modules/page/index.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { MODES } from '../shared/caller.js';
import { createdAt, ORGANIZATION_ID, uuidOf } from '../shared/id.js';
import { duration, id, modeOption } from './arguments.js';
import { keyView } from './keys.js';
import { withApplication } from './run.js';

export function addOrganizationCommands(program: Command): void {
  const organizations = program.command('org').description('organizations: tenants, whose data is kept apart');

  organizations
    .command('create')
    .description('create an organization and its webhook secret')
    .argument('<name>', 'its name, in quotes if it has spaces')
    .action((name) =>
      withApplication(async (application) => {
        const organization = await application.get(CreateOrganization).execute(name);
        return { id: organization.id, name: organization.name, webhook_secret: organization.webhookSecret };
      }),
    );

  addSet(organizations);
  addMove(organizations);

  organizations
    .command('list')
    .description('list all organizations, the oldest first')
    .action(() =>
      withApplication(async (application) => {
        const all = await application.get(FindOrganization).all();
        return { object: 'list', data: all.map(organizationView) };
      }),
    );

  organizations
    .command('show')
    .description('show an organization, its payment URLs and keys')
    .argument('<organization>', 'its id, org_…', id(ORGANIZATION_ID))
    .action((organization) =>
      withApplication(async (application) => {
        const found = await application.get(FindOrganization).byId(organization);
        const keys = await application.get(ManageApiKeys).list(organization);
        const url = await paymentUrls(application, organization);
        return { ...organizationView(found), payment_url: url, keys: keys.map((key) => keyView(key)) };
      }),
    );
}

async function paymentUrls(application: INestApplicationContext, organization: string) {
  const find = application.get(FindPaymentUrl);
  const [test, live] = await Promise.all(MODES.map((mode) => find.execute({ organization, mode })));
  return { test, live };
}

function addSet(organizations: Command): void {
  organizations
    .command('set')
    .description('say where customers pay')
    .argument('<organization>', 'its id, org_…', id(ORGANIZATION_ID))
    .addOption(modeOption())
    .requiredOption('--payment-url <url>', 'an https URL with {CHECKOUT_SESSION_ID} in it, where their page leads them')
    .option('--no-payment-url', 'nowhere; in test mode, to the pretend payment provider')
    .action((organization, { mode, paymentUrl }) =>
      withApplication(async (application) => {
        const url = paymentUrl || null;
        const set = () => application.get(SetPaymentUrl).ofOrganization({ organization, mode }, url);
        return { id: organization, mode, payment_url: await application.get(UnitOfWork).commit(set) };
      }),
    );
}

function addMove(organizations: Command): void {
  organizations
    .command('move')
    .summary('move an organization to another database')
    .description('move an organization to another database, while its keys answer 503; run it again if it was ended')
    .argument('<organization>', 'its id, org_…', id(ORGANIZATION_ID))
    .addOption(
      new Option('--to <url>', 'the other database, migrated to the same version')
        .env('TARGET_DATABASE_URL')
        .makeOptionMandatory(),
    )
    .option('--patience <span>', 'how long requests that have begun may take', duration, duration('15s'))
    .action((organization, { to: target, patience }) =>
      withApplication(async (_, source) => {
        const { moveOrganization } = await import('./move/move-organization.js');
        const move = { organization: uuidOf(organization), source, target, patienceMs: patience };
        const { moved, left } = await moveOrganization(move);
        if (Object.keys(left).length > 0) process.exitCode = 1;
        return { id: organization, moved, left };
      }),
    );
}

function organizationView({ id, name }: Organization) {
  return { id, name, created_at: createdAt(id) };
}
