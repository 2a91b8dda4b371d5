import { type Command, Option } from '@commander-js/extra-typings';
import {
  apiKeyView,
  organizationView,
} from '../../modules/access/adapters/representation/operator.views.js';
import {
  MAX_RETENTION_DAYS,
  ManageApiKeys,
  ManageOrganizations,
  type OrganizationChange,
  Organizations,
  REFUND_APPROVALS,
} from '../../modules/access/index.js';
import { MODES } from '../../shared/caller.js';
import { ORGANIZATION_ID } from '../../shared/id.js';
import { committed, withApplication } from './application.js';
import { contact, id, wholeNumber } from './arguments.js';

export function define(organizations: Command): void {
  organizations
    .command('create')
    .description('create an organization and its webhook secret')
    .argument('<name>', 'its name, in quotes if it has spaces')
    .option(
      '--reference <id>',
      'your own ID of it, unique for ever: again, it is the first organization',
    )
    .action((name, { reference }) =>
      withApplication(async (application) => {
        const manage = application.get(ManageOrganizations);
        const { organization } = await committed(application, (unit) =>
          manage.create(unit, name, reference),
        );
        const [webhook_secret] = await manage.webhookSecrets(organization.id);
        return { id: organization.id, name: organization.settings.name, webhook_secret };
      }),
    );

  addSet(organizations);
  addReads(organizations);
}

function addReads(organizations: Command): void {
  organizations
    .command('list')
    .description('list all organizations, the oldest first')
    .action(() =>
      withApplication(async (application) => {
        const { items } = await application.get(Organizations).list({});
        return { object: 'list', data: items.toReversed().map(organizationView) };
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
        return { ...organizationView(found), keys: keys.items.toReversed().map(apiKeyView) };
      }),
    );
}

const APPROVAL = 'refunds that wait for approval: of some keys, or all';
const CONTACT = 'whom customers can ask: an e-mail address or an https URL';
const UNIQUE = 'at most one session open or complete for each metadata.reference, or any number';
const RETENTION = 'how long the details of closed sessions are kept';

function addSet(organizations: Command): void {
  organizations
    .command('set')
    .description('change an organization or where customers pay')
    .argument('<organization>', 'its id, org_…', id(ORGANIZATION_ID))
    .addOption(new Option('--mode <mode>', 'test or live data, for a payment URL').choices(MODES))
    .option(
      '--payment-url <url>',
      'an https URL with {CHECKOUT_SESSION_ID}, in test mode also http: where to pay',
    )
    .option('--no-payment-url', 'nowhere; in test mode, to the pretend payment provider')
    .option('--name <name>', 'its new name')
    .option('--contact <address>', CONTACT, contact)
    .option('--no-contact', 'none')
    .option('--terms-url <url>', 'an https URL of the terms')
    .option('--no-terms-url', 'none')
    .option('--privacy-url <url>', 'an https URL of the privacy notice')
    .option('--no-privacy-url', 'none')
    .addOption(new Option('--refund-approval <which>', APPROVAL).choices(REFUND_APPROVALS))
    .option('--details-retention-days <days>', RETENTION, wholeNumber(1, MAX_RETENTION_DAYS))
    .option('--no-details-retention-days', 'for ever')
    .addOption(new Option('--unique-references <how>', UNIQUE).choices(['on', 'off'] as const))
    .action((organization, { mode, paymentUrl, uniqueReferences, ...details }, command) => {
      const isUrlGiven = paymentUrl !== undefined;
      const isNothingGiven =
        mode === undefined && uniqueReferences === undefined && Object.keys(details).length === 0;
      if ((mode !== undefined) !== isUrlGiven || isNothingGiven) {
        command.error('Give --payment-url with its --mode, or another option.');
      }
      const given = Object.entries(details).map(([name, value]) => [
        name,
        value === false ? null : value,
      ]);
      return change(organization, {
        ...Object.fromEntries(given),
        paymentUrl: mode && { [mode]: paymentUrl === false ? null : paymentUrl },
        ...(uniqueReferences && { uniqueReferences: uniqueReferences === 'on' }),
      });
    });
}

function change(organization: string, settings: OrganizationChange): Promise<void> {
  return withApplication(async (application) => {
    const manage = application.get(ManageOrganizations);
    const changing = committed(application, (unit) => manage.change(unit, organization, settings));
    return organizationView(await changing);
  });
}
