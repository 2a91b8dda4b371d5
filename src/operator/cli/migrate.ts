import { type Command, Option } from '@commander-js/extra-typings';
import {
  assertCitus,
  assertRole,
  distributeTables,
  limitRole,
  migrate,
  revertLast,
} from '../migrate/migrate.js';
import { isPooled } from '../migrate/pooler.js';
import { wholeNumber } from './arguments.js';
import { withDatabase } from './run.js';

/**
 * The number of shards limits how many machines can hold the rows. A query for all organizations
 * runs on every shard.
 */
const SHARDS = 32;

export function define(command: Command): void {
  command
    .addOption(
      new Option(
        '--revert',
        'undo the last migration and drop what it stored: stop the servers first',
      ).conflicts(['distribute', 'shards', 'serviceRole']),
    )
    .option(
      '--service-role <role>',
      'the database role of the service, if it is not the one that migrates',
    )
    .option('--distribute', 'distribute the tables on Citus, after migrating')
    .option(
      '--shards <number>',
      `with --distribute: parts of each table, for good (default: ${SHARDS})`,
      wholeNumber(1, 1_000),
    )
    .action(({ revert, serviceRole, distribute, shards }, command) => {
      if (shards !== undefined && !distribute)
        return command.error('Give --shards with --distribute.');
      return withDatabase(async (url, _, progress) => {
        if (revert) return { reverted: (await revertLast(url)) ?? null };
        if (serviceRole !== undefined) await assertRole(url, serviceRole);
        if (distribute) await assertCitus(url);
        const applied = await migrate(url, progress);
        const distributed = distribute
          ? { distributed: await distributeTables(url, shards ?? SHARDS, progress) }
          : {};
        const notPermitted = await limitRole(url, serviceRole);
        // Each connection sets the limits itself where no pooler stands before PostgreSQL.
        const isNeeded = notPermitted.length > 0 && (await isPooled(url));
        const left = isNeeded ? { not_permitted: notPermitted } : {};
        return { applied, ...distributed, ...left };
      });
    });
}
