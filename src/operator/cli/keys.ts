import { type Command, Option } from '@commander-js/extra-typings';
import {
  apiKeyView,
  withKeyView,
} from '../../modules/access/adapters/representation/operator.views.js';
import {
  API_KEY_ID,
  isOwned,
  KEY_KINDS,
  ManageApiKeys,
  RIGHTS,
} from '../../modules/access/index.js';
import { MODES } from '../../shared/caller.js';
import { ORGANIZATION_ID } from '../../shared/id.js';
import { committed, withApplication } from './application.js';
import { duration, end, id } from './arguments.js';

const EXPIRES =
  'when the new key ends: a span (30d, 12h), an RFC 3339 time, a date, Unix seconds or never';
const KINDS = 'secret or restricted for /v1, ledger for /ledger/v1, operator for /operator/v1';
const kindOption = () => new Option('--kind <kind>', KINDS).choices(KEY_KINDS);

export function define(keys: Command): void {
  addCreate(keys);
  addRotate(keys);
  addList(keys);

  keys
    .command('revoke')
    .description('end a key: it stops everywhere within 5 seconds')
    .argument('<key>', 'its id, key_…', id(API_KEY_ID))
    .action((key) =>
      withApplication(async (application) => {
        const manage = application.get(ManageApiKeys);
        return apiKeyView(await committed(application, (unit) => manage.revoke(unit, key)));
      }),
    );
}

function addList(keys: Command): void {
  const list = keys.command('list').description('list the keys of an organization or of a kind');
  list
    .option(
      '--org <organization>',
      'the organization of secret and restricted keys',
      id(ORGANIZATION_ID),
    )
    .addOption(kindOption())
    .action(({ kind, org }) => {
      const isOfOne = kind === undefined || isOwned(kind);
      if (!isOfOne && org !== undefined)
        return list.error(`Give --org or --kind ${kind}: such keys belong to no organization.`);
      const owner = isOfOne ? org : null;
      if (owner === undefined)
        return list.error('--org is missing: secret keys belong to an organization.');
      return withApplication(async (application) => {
        const { items } = await application.get(ManageApiKeys).list(owner);
        const data = items
          .filter(({ state }) => kind === undefined || state.kind === kind)
          .toReversed();
        return { object: 'list', data: data.map(apiKeyView) };
      });
    });
}

const CREATE = {
  mode: 'test or live data; an operator key has none',
  org: 'whose key it is; a ledger or operator key is nobody’s',
  holder: 'who uses it, a person or a program (default: the ID of the key)',
  right: 'what a restricted key may do besides reading; may be repeated',
  origin: 'a browser origin that may use it, for trusted pages only; may be repeated',
};

function addCreate(keys: Command): void {
  const create = keys.command('create').description('create a key');
  create
    .addOption(new Option('--mode <mode>', CREATE.mode).choices(MODES))
    .addOption(kindOption().default('secret' as const))
    .option('--org <organization>', CREATE.org, id(ORGANIZATION_ID))
    .option('--holder <name>', CREATE.holder)
    .addOption(new Option('--right <right...>', CREATE.right).choices(RIGHTS))
    .option('--origin <origin...>', CREATE.origin)
    .option('--expires <when>', `${EXPIRES} (default: never)`, end)
    .action(
      ({
        mode = null,
        org: organization = null,
        right: rights,
        origin: origins,
        expires,
        ...terms
      }) => {
        if (isOwned(terms.kind) && organization === null) {
          create.error('--org is missing: a secret key belongs to an organization.');
        }
        if (terms.kind !== 'operator' && mode === null)
          create.error('--mode is missing: only an operator key has none.');
        const input = { ...terms, mode, organization, rights, origins, ...expires };
        return withApplication(async (application) => {
          const manage = application.get(ManageApiKeys);
          return withKeyView(await committed(application, (unit) => manage.create(unit, input)));
        });
      },
    );
}

function addRotate(keys: Command): void {
  keys
    .command('rotate')
    .description('replace a key: the old one ends later')
    .argument('<key>', 'the id of the old key, key_…', id(API_KEY_ID))
    .option('--overlap <span>', 'how long the old key still works (default: 7d)', duration)
    .option('--expires <when>', `${EXPIRES} (default: when the old one would)`, end)
    .action((old, { overlap, expires }) =>
      withApplication(async (application) => {
        const manage = application.get(ManageApiKeys);
        const rotated = await committed(application, (unit) =>
          manage.rotate(unit, old, { overlap, ...expires }),
        );
        return {
          ...withKeyView(rotated),
          previous_expires_at: Math.floor(rotated.previousExpiresAt / 1000),
        };
      }),
    );
}
