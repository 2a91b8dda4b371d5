import { type Command, Option } from '@commander-js/extra-typings';
import { API_KEY_ID, type ApiKey, KEY_KINDS, ManageApiKeys, RIGHTS } from '../../modules/access/index.js';
import { MODES } from '../../shared/caller.js';
import { createdAt, ORGANIZATION_ID } from '../../shared/id.js';
import { collect, duration, end, id } from './arguments.js';
import { withApplication } from './run.js';

const EXPIRES = 'when the new key ends: a span (30d, 12h), an RFC 3339 time, a date or Unix seconds; otherwise never';
const KINDS = 'secret or restricted for /v1, ledger for /ledger/v1, operator for /operator/v1';
const kindOption = () => new Option('--kind <kind>', KINDS).choices(KEY_KINDS);

export function addKeyCommands(program: Command): void {
  const keys = program.command('key').description('API keys: a key is printed once, when it is made');
  addCreate(keys);
  addRotate(keys);

  const list = keys.command('list').description('list the keys of an organization or of a kind');
  list
    .option('--org <organization>', 'the organization of secret and restricted keys', id(ORGANIZATION_ID))
    .addOption(kindOption())
    .action(({ kind, org }) => {
      const isOwned = kind !== 'ledger' && kind !== 'operator';
      if (isOwned && org === undefined) list.error('--org is missing: secret keys belong to an organization.');
      return withApplication(async (application) => {
        const found = await application.get(ManageApiKeys).list(isOwned ? (org ?? null) : null);
        const data = found.filter(({ state }) => kind === undefined || state.kind === kind);
        return { object: 'list', data: data.map((key) => keyView(key)) };
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
    .addOption(new Option('--mode <mode>', 'test or live data; an operator key has none').choices(MODES))
    .addOption(kindOption().default('secret' as const))
    .option('--org <organization>', 'whose key it is; a ledger or operator key is nobody’s', id(ORGANIZATION_ID))
    .option('--holder <name>', 'who uses it, a person or a program (default: the ID of the key)')
    .addOption(
      new Option('--right <right...>', 'what a restricted key may do besides reading; may be repeated').choices(RIGHTS),
    )
    .option(
      '--origin <origin>',
      'a browser origin that may use it, for trusted pages only; may be repeated',
      collect,
      [],
    )
    .option('--expires <when>', EXPIRES, end)
    .action(({ kind, mode = null, org: organization = null, holder, right: rights = [], origin, expires }) => {
      if ((kind === 'secret' || kind === 'restricted') && organization === null) {
        create.error('--org is missing: a secret key belongs to an organization.');
      }
      if (kind !== 'operator' && mode === null) create.error('--mode is missing: only an operator key has none.');
      const terms = { kind, mode, organization, holder, rights, allowedOrigins: origin, expiresAt: null, ...expires };
      return withApplication(async (application) => {
        const { key, token } = await application.get(ManageApiKeys).create(terms);
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
    holder: state.holder,
    rights: state.rights,
    display: state.display,
    allowed_origins: state.allowedOrigins,
    expires_at: seconds(state.expiresAt),
    revoked_at: seconds(state.revokedAt),
    last_used_at: seconds(state.lastUsedAt),
    created_at: createdAt(state.id),
  };
}

function seconds(instant: number | null): number | null {
  return instant === null ? null : Math.floor(instant / 1000);
}
