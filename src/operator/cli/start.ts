import type { Command } from '@commander-js/extra-typings';

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .summary('run the service')
    .description(
      'run the service until it is stopped; without DATABASE_URL on a PostgreSQL of its own under DATA_DIR, with a demo organization',
    )
    .action(async () => {
      await import('../process/start.js');
      // A stop signal ends the process.
      await new Promise(() => undefined);
    });
}
