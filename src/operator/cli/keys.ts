import { type Command, Option } from '@commander-js/extra-typings';
import { API_KEY_ID, type ApiKey, KEY_KINDS, ManageApiKeys } from '../../modules/access/index.js';
import { createdAt, ORGANIZATION_ID } from '../../shared/id.js';
import { collect, duration, end, id, modeOption } from './arguments.js';
import { withApplication } from './run.js';

const EXPIRES = 'when the new key ends: a span (30d, 12h), an RFC 3339 time, a date or Unix seconds; otherwise never';
const kindOption = () => new Option('--kind <kind>', 'secret for /v1, ledger for /ledger/v1').choices(KEY_KINDS);

export function addKeyCommands(program: Command): void {
  const keys = program.command('key').description('API keys: a key is printed once, when it is made');
  addCreate(keys);
  addRotate(keys);

  const list = keys.command('list').description('list the keys of an organization or the ledger');
  list
    .option('--org <organization>', 'the organization of secret keys', id(ORGANIZATION_ID))
    .addOption(kindOption().default('secret' as const))
    .action(({ kind, org }) => {
      if (kind === 'secret' && org === undefined)
        list.error('--org is missing: secret keys belong to an organization.');
      return withApplication(async (application) => {
        const found = await application.get(ManageApiKeys).list(kind === 'ledger' ? null : (org ?? null));
        return { object: 'list', data: found.map((key) => keyView(key)) };
      });
    });

  keys
    .command('revoke')
    .description('end a key: it stops everywhere within 5 seconds')
    .argument('<key>', 'its id, key_…', id(API_KEY_ID))
    .action((key) => withApplication(async (application) => keyView(await application.get(ManageApiKeys).revoke(key))));
}

function addCreate(keys: Command): void {
  const create = keys.command('create').description('create a key');
  create
    .addOption(modeOption())
    .addOption(kindOption().default('secret' as const))
    .option('--org <organization>', 'whose key it is; a ledger key is nobody’s', id(ORGANIZATION_ID))
    .option(
      '--origin <origin>',
      'a browser origin that may use it, for trusted pages only; may be repeated',
      collect,
      [],
    )
    .option('--expires <when>', EXPIRES, end)
    .action(({ kind, mode, org, origin, expires }) => {
      if (kind === 'secret' && org === undefined) {
        create.error('--org is missing: a secret key belongs to an organization.');
      }
      return withApplication(async (application) => {
        const input = { kind, mode, organization: org ?? null, allowedOrigins: origin, expiresAt: null, ...expires };
        const { key, token } = await application.get(ManageApiKeys).create(input);
        return keyView(key, token);
      });
    });
}

function addRotate(keys: Command): void {
  keys
    .command('rotate')
    .description('replace a key: the old one ends later')
    .argument('<key>', 'the id of the old key, key_…', id(API_KEY_ID))
    .option('--overlap <span>', 'how long the old key still works (default: 7d)', duration)
    .option('--expires <when>', EXPIRES, end)
    .action((old, { overlap = duration('7d'), expires }) =>
      withApplication(async (application) => {
        const rotated = await application.get(ManageApiKeys).rotate(old, { overlap, expiresAt: null, ...expires });
        return { ...keyView(rotated.key, rotated.token), previous_expires_at: seconds(rotated.previousExpiresAt) };
      }),
    );
}

/** `token` is shown once, when it is made, because it is not stored. Times are Unix seconds. */
export function keyView({ state }: ApiKey, token?: string) {
  return {
    id: state.id,
    ...(token === undefined ? {} : { key: token }),
    mode: state.mode,
    kind: state.kind,
    organization: state.organization,
    display: state.display,
    allowed_origins: state.allowedOrigins,
    expires_at: seconds(state.expiresAt),
    revoked_at: seconds(state.revokedAt),
    created_at: createdAt(state.id),
  };
}

function seconds(instant: number | null): number | null {
  return instant === null ? null : Math.floor(instant / 1000);
}
