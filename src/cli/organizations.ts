import type { Command } from '@commander-js/extra-typings';
import type { INestApplicationContext } from '@nestjs/common';
import { CreateOrganization, ManageApiKeys, type Organization, Organizations } from '../modules/access/index.js';
import { Pages, SetPaymentUrl } from '../modules/page/index.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { MODES } from '../shared/caller.js';
import { createdAt, ORGANIZATION_ID } from '../shared/id.js';
import { id, modeOption } from './arguments.js';
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

  organizations
    .command('list')
    .description('list all organizations, the oldest first')
    .action(() =>
      withApplication(async (application) => {
        const all = await application.get(Organizations).all();
        return { object: 'list', data: all.map(organizationView) };
      }),
    );

  organizations
    .command('show')
    .description('show an organization, its payment URLs and keys')
    .argument('<organization>', 'its id, org_…', id(ORGANIZATION_ID))
    .action((organization) =>
      withApplication(async (application) => {
        const found = await application.get(Organizations).byId(organization);
        const keys = await application.get(ManageApiKeys).list(organization);
        const url = await paymentUrls(application, organization);
        return { ...organizationView(found), payment_url: url, keys: keys.map((key) => keyView(key)) };
      }),
    );
}

async function paymentUrls(application: INestApplicationContext, organization: string) {
  const pages = application.get(Pages);
  const [test, live] = await Promise.all(MODES.map((mode) => pages.organizationPaymentUrl({ organization, mode })));
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

function organizationView({ id, name }: Organization) {
  return { id, name, created_at: createdAt(id) };
}
