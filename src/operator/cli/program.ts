/**
 * The command line for operators runs the use cases of the HTTP API. A command prints one JSON
 * object, or an error in one line.
 */
import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  Help,
} from '@commander-js/extra-typings';
import { VERSION } from '../../platform/version.js';
import { refuseOtherValues } from './repeated-options.js';

const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/g;

type Load = () => Promise<{ define(command: Command): void }>;

/** The commands are in the order of the help, each with its summary and what defines it. */
const COMMANDS: Readonly<Record<string, readonly [summary: string, load: Load]>> = {
  start: ['run the service', () => import('./start.js')],
  org: ['organizations: tenants, whose data is kept apart', () => import('./organizations.js')],
  key: ['API keys: a key is printed once, when it is made', () => import('./keys.js')],
  payment: ['captured payments', () => import('./payments.js')],
  reconcile: ['prove that every amount adds up; exits 1 if not', () => import('./reconcile.js')],
  webhook: ['webhooks: secrets, and a receiver for development', () => import('./webhooks.js')],
  doctor: ['look for what makes the service fail', () => import('./doctor.js')],
  drill: ['test your worker of the ledger, in any language', () => import('./drill.js')],
  redact: ['remove what closed sessions tell of a customer', () => import('./redact.js')],
  reencrypt: ['encrypt stored secrets anew', () => import('./reencrypt.js')],
  migrate: ['bring the database schema up to date', () => import('./migrate.js')],
};

export async function runCommand(words: readonly string[]): Promise<void> {
  try {
    const program = await newProgram(words);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode;
    else {
      const { explain } = await import('../process/explain.js');
      process.stderr.write(`${explain(error).join(' ').replaceAll(LINE_BREAKS, ' ')}\n`);
      process.exitCode = 1;
    }
  }
}

/**
 * Loads only the commands that are named among the words, because most of them load the whole
 * service. The help lists the others by their summaries.
 */
async function newProgram(words: readonly string[]): Promise<Command> {
  const program = new Command('tillgate')
    .description(
      'Tillgate for operators. The server may be running or not; DATABASE_URL or DATA_DIR says ' +
        'which database.',
    )
    .version(VERSION)
    .exitOverride()
    .hook('preAction', (_, command) => assertDatabase(command))
    .configureHelp({
      optionDescription: (option) =>
        `${new Help().optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
    })
    .configureOutput({ outputError: (text, write) => write(`${sentence(text)}\n`) });
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    const command = program.command(name).summary(summary).description(summary);
    if (!words.includes(name)) continue;
    (await load()).define(command);
  }
  refuseOtherValues(program);
  return program;
}

/** Refuses to make a new database for live mode, and for what a new one cannot have. */
async function assertDatabase(command: CommandUnknownOpts): Promise<void> {
  const reason = whyNoNewDatabase(command);
  if (reason === undefined) return;
  const { readConfig } = await import('../../platform/config.js');
  const { aboutNewDatabase } = await import('./run.js');
  const missing = aboutNewDatabase(readConfig(process.env), reason);
  if (missing) command.error(missing);
}

/** These options and arguments name something that is there already. */
const NAMING = ['org', 'session', 'organization', 'key'];

function whyNoNewDatabase(command: CommandUnknownOpts): string | undefined {
  if (command.getOptionValue('mode') === 'live') return 'none is made for live mode';
  const names = [
    ...Object.keys(command.opts()),
    ...command.registeredArguments.map((argument) => argument.name()),
  ];
  return names.some((name) => NAMING.includes(name))
    ? 'a new one would not have what the command names'
    : undefined;
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
