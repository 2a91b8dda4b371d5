import { type Command, Option } from '@commander-js/extra-typings';
import type { INestApplicationContext } from '@nestjs/common';
import { ManageApiKeys, ManageOrganizations, type Organization, Organizations } from '../../modules/access/index.js';
import { Pages, SetPaymentUrl } from '../../modules/page/index.js';
import { Database } from '../../persistence/database.js';
import { type Caller, MODES } from '../../shared/caller.js';
import { createdAt, ORGANIZATION_ID } from '../../shared/id.js';
import { id } from './arguments.js';
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
        const organization = await application.get(ManageOrganizations).create(name);
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
    .description('set where customers pay and what their page says')
    .argument('<organization>', 'its id, org_…', id(ORGANIZATION_ID))
    .addOption(new Option('--mode <mode>', 'test or live data, for a payment URL').choices(MODES))
    .option('--payment-url <url>', 'an https URL with {CHECKOUT_SESSION_ID}, in test mode also http: where to pay')
    .option('--no-payment-url', 'nowhere; in test mode, to the pretend payment provider')
    .option('--contact <address>', 'whom customers can ask: an e-mail address or an https URL')
    .option('--no-contact', 'none')
    .option('--terms-url <url>', 'an https URL of the terms')
    .option('--no-terms-url', 'none')
    .option('--privacy-url <url>', 'an https URL of the privacy notice')
    .option('--no-privacy-url', 'none')
    .action((organization, { mode, paymentUrl, ...details }, command) => {
      const given = Object.entries(details).map(([name, value]) => [name, value || null]);
      if ((mode === undefined) !== (paymentUrl === undefined) || (mode === undefined && given.length === 0)) {
        command.error('Give --payment-url with its --mode, or --contact, --terms-url or --privacy-url.');
      }
      return withApplication(async (application) => {
        const set = mode && (await setPaymentUrl(application, { organization, mode }, paymentUrl || null));
        if (given.length === 0) return { id: organization, ...set };
        const changed = await application.get(ManageOrganizations).change(organization, Object.fromEntries(given));
        return { id: organization, ...set, ...detailsView(changed) };
      });
    });
}

async function setPaymentUrl(application: INestApplicationContext, caller: Caller, url: string | null) {
  const set = () => application.get(SetPaymentUrl).ofOrganization(caller, url);
  return { mode: caller.mode, payment_url: await application.get(Database).commit(set) };
}

function detailsView({ details }: Organization) {
  return { contact: details.contact, terms_url: details.termsUrl, privacy_url: details.privacyUrl };
}

function organizationView(organization: Organization) {
  const { id, name } = organization;
  return { id, name, created_at: createdAt(id), ...detailsView(organization) };
}
