import type { Command } from '@commander-js/extra-typings';
import { wholeNumber } from './arguments.js';

export function define(drill: Command): void {
  drill
    .description(
      'run your worker twice under faults, with a Tillgate and a pretend provider of its own, ' +
        'and compare the books; exits 1 if money is wrong, 2 without a verdict. The command is ' +
        'given TILLGATE_URL, TILLGATE_LEDGER_KEY, PROVIDER_URL and WEBHOOK_PORT.',
    )
    .usage('[options] -- <command>')
    .allowExcessArguments()
    .option(
      '--seed <number>',
      'the same seed is the same plan (default: any)',
      wholeNumber(0, 2 ** 31 - 1),
    )
    .option('--refunds <number>', 'how many refunds', wholeNumber(40, 100_000), 200)
    .option('--seconds <number>', 'how long there are faults, at most', wholeNumber(5, 3600), 60)
    .option(
      '--limit <number>',
      'how many seconds it lasts in all, at most',
      wholeNumber(5, 86_400),
      600,
    )
    .option(
      '--patience <number>',
      'how many seconds a call of it may stay open, and how many it may do nothing',
      wholeNumber(5, 3600),
      60,
    )
    .option('--restart', 'for a worker that works once and ends: start it again and again')
    .option('--bail', 'end when the first rule is broken')
    .option('--json', 'print one JSON object')
    .action(async (options, { args }) => {
      const { runDrill } = await import('../../../drill/run.js');
      process.exitCode = await runDrill({ ...options, command: args });
    });
}
