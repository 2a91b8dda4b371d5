/**
 * The command line for operators runs the use cases of the HTTP API. A command prints one JSON
 * object, or an error in one line.
 */
import { Command, CommanderError, Help } from '@commander-js/extra-typings';
import { readConfig } from '../../platform/config.js';
import { VERSION } from '../../platform/version.js';
import { explain } from '../process/explain.js';
import { addDoctorCommand } from './doctor.js';
import { addDrillCommand } from './drill.js';
import { addKeyCommands } from './keys.js';
import { addMigrateCommand } from './migrate.js';
import { addOrganizationCommands } from './organizations.js';
import { addPaymentCommands } from './payments.js';
import { addReconcileCommand } from './reconcile.js';
import { addRedactCommand } from './redact.js';
import { addReencryptCommand } from './reencrypt.js';
import { aboutNewDatabase } from './run.js';
import { addWebhookCommands } from './webhooks.js';

export async function runCommand(words: readonly string[]): Promise<void> {
  try {
    await newProgram().parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode;
    else {
      process.stderr.write(`${explain(error).join(' ').replaceAll('\n', ' ')}\n`);
      process.exitCode = 1;
    }
  }
}

function newProgram(): Command {
  const program = new Command('tillgate')
    .description(
      'Tillgate for operators. The server may be running or not; DATABASE_URL or DATA_DIR says ' +
        'which database.',
    )
    .version(VERSION)
    .exitOverride()
    .hook('preAction', (_, command) => {
      if (command.getOptionValue('mode') !== 'live') return;
      const missing = aboutNewDatabase(readConfig(process.env), 'none is made for live mode');
      if (missing) command.error(missing);
    })
    .configureHelp({
      optionDescription: (option) =>
        `${new Help().optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
    })
    .configureOutput({ outputError: (text, write) => write(`${sentence(text)}\n`) });
  addStartCommand(program);
  addOrganizationCommands(program);
  addKeyCommands(program);
  addPaymentCommands(program);
  addReconcileCommand(program);
  addWebhookCommands(program);
  addDoctorCommand(program);
  addDrillCommand(program);
  addRedactCommand(program);
  addReencryptCommand(program);
  addMigrateCommand(program);
  return program;
}

function addStartCommand(program: Command): void {
  program
    .command('start')
    .summary('run the service')
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

const HELP = {
  'too many arguments': ' A value with spaces needs quotes.',
  'unknown command': ' See tillgate --help.',
};

/** Rewrites a message of commander, such as "error: unknown option '--colour'", as a sentence. */
function sentence(text: string): string {
  const words = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s+/g, ' ');
  const help = Object.entries(HELP).find(([start]) => words.startsWith(start))?.[1] ?? '';
  const end = /[.)]$/.test(words) ? '' : '.';
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${end}${help}`;
}
