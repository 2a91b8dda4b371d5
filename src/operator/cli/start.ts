import type { Command } from '@commander-js/extra-typings';

export function define(command: Command): void {
  command
    .description(
      'run the service until it is stopped; without DATABASE_URL on a PostgreSQL of its own ' +
        'under DATA_DIR, with a demo organization',
    )
    .action(async () => {
      await import('../process/start.js');
      // The command waits here for ever, and a stop signal ends the process.
      await new Promise(() => undefined);
    });
}
