import { type Command, Option } from '@commander-js/extra-typings';
import {
  MAX_RETENTION_DAYS,
  ManageApiKeys,
  ManageOrganizations,
  ManageWebhookSecret,
  type Organization,
  Organizations,
  REFUND_APPROVALS,
} from '../../modules/access/index.js';
import { ManageMerchants } from '../../modules/provisioning/index.js';
import { MODES } from '../../shared/caller.js';
import { createdAt, ORGANIZATION_ID } from '../../shared/id.js';
import { id, wholeNumber } from './arguments.js';
import { keyView } from './keys.js';
import { committed, withApplication } from './run.js';

export function addOrganizationCommands(program: Command): void {
  const organizations = program.command('org').description('organizations: tenants, whose data is kept apart');

  addCreate(organizations);
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
        const found = await application.get(ManageMerchants).get(organization);
        const keys = await application.get(ManageApiKeys).list(organization);
        const view = { ...organizationView(found.organization), payment_url: found.paymentUrl };
        return { ...view, keys: keys.map((key) => keyView(key)) };
      }),
    );
}

function addCreate(organizations: Command): void {
  organizations
    .command('create')
    .description('create an organization and its webhook secret')
    .argument('<name>', 'its name, in quotes if it has spaces')
    .option('--reference <id>', 'your own ID of it, unique for ever: again, it is the first organization')
    .action((name, { reference = null }) =>
      withApplication(async (application) => {
        const create = () => application.get(ManageOrganizations).createOnce(name, reference);
        const { organization } = await committed(application, create);
        const [webhook_secret] = await application.get(ManageWebhookSecret).active(organization.id);
        return { id: organization.id, name: organization.settings.name, webhook_secret };
      }),
    );
}

function addSet(organizations: Command): void {
  organizations
    .command('set')
    .description('change an organization or where customers pay')
    .argument('<organization>', 'its id, org_…', id(ORGANIZATION_ID))
    .addOption(new Option('--mode <mode>', 'test or live data, for a payment URL').choices(MODES))
    .option('--payment-url <url>', 'an https URL with {CHECKOUT_SESSION_ID}, in test mode also http: where to pay')
    .option('--no-payment-url', 'nowhere; in test mode, to the pretend payment provider')
    .option('--name <name>', 'its new name')
    .option('--contact <address>', 'whom customers can ask: an e-mail address or an https URL')
    .option('--no-contact', 'none')
    .option('--terms-url <url>', 'an https URL of the terms')
    .option('--no-terms-url', 'none')
    .option('--privacy-url <url>', 'an https URL of the privacy notice')
    .option('--no-privacy-url', 'none')
    .addOption(
      new Option('--refund-approval <which>', 'refunds that wait for approval: of some keys, or all').choices(
        REFUND_APPROVALS,
      ),
    )
    .option(
      '--details-retention-days <days>',
      'how long the details of closed sessions are kept',
      wholeNumber(1, MAX_RETENTION_DAYS),
    )
    .option('--no-details-retention-days', 'for ever')
    .action((organization, { mode, paymentUrl, ...details }, command) => {
      const given = Object.entries(details).map(([name, value]) => [name, value === false ? null : value]);
      if ((mode === undefined) !== (paymentUrl === undefined) || (mode === undefined && given.length === 0)) {
        command.error('Give --payment-url with its --mode, or another option.');
      }
      const change = { ...Object.fromEntries(given), paymentUrl: mode && { [mode]: paymentUrl || null } };
      return withApplication(async (application) => {
        const merchants = application.get(ManageMerchants);
        const changed = await committed(application, () => merchants.change(organization, change));
        const set = mode && { mode, payment_url: changed.paymentUrl[mode] };
        return { id: organization, ...set, ...(given.length > 0 && settingsView(changed.organization)) };
      });
    });
}

function settingsView({ settings }: Organization) {
  return {
    name: settings.name,
    contact: settings.contact,
    terms_url: settings.termsUrl,
    privacy_url: settings.privacyUrl,
    refund_approval: settings.refundApproval,
    details_retention_days: settings.detailsRetentionDays,
  };
}

function organizationView(organization: Organization) {
  const { id } = organization;
  return { id, reference: organization.reference, created_at: createdAt(id), ...settingsView(organization) };
}
