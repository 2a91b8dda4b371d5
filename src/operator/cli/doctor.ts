import type { Command } from '@commander-js/extra-typings';
import { SystemClock } from '../../platform/clock.js';
import { ConfigError } from '../../platform/config.js';
import { wholeNumber } from './arguments.js';
import { examine } from './doctor/doctor.js';
import { type Finding, fail } from './doctor/finding.js';
import { print, withDatabase } from './run.js';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .summary('look for what makes the service fail')
    .description('look for what makes the service fail, and say what to do; exits 1 on a failure')
    .option('--machines <number>', 'how many machines run the service on this database', wholeNumber(1, 1000), 1)
    .option('--json', 'print one JSON object on a terminal, too')
    .action(async ({ machines, json }) => {
      const show = json || !process.stdout.isTTY ? print : (result: Report) => process.stdout.write(linesOf(result));
      try {
        const clock = new SystemClock();
        await withDatabase(async (url, config) => report(await examine({ config, url, machines, clock })), show);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        show(report(error.faults.map((fault) => fail('settings', fault, 'Correct it: docs/reference/settings.md.'))));
      }
    });
}

interface Report {
  readonly healthy: boolean;
  readonly checks: readonly Finding[];
}

export function linesOf({ checks }: Report): string {
  const line = ({ name, status, found, advice }: Finding) =>
    `${(status === 'fail' ? 'FAIL' : status).padEnd(4)}  ${name.padEnd(12)}  ${found}${advice === null ? '' : ` → ${advice}`}\n`;
  return checks.map(line).join('');
}

function report(checks: readonly Finding[]): Report {
  const isHealthy = checks.every(({ status }) => status !== 'fail');
  if (!isHealthy) process.exitCode = 1;
  return { healthy: isHealthy, checks };
}
