import { inspect } from 'node:util';
import { onStopSignal } from '../src/operator/process/stop-signals.js';
import { Progress } from '../src/platform/progress.js';
import { Complaint, Halt } from './complaint.js';
import { drill, type Options } from './drill.js';
import { asText } from './report.js';
import { openStage } from './stage.js';
import type { Rule } from './verdict.js';

interface Words extends Omit<Options, 'seed' | 'restart' | 'bail' | 'progress' | 'stop'> {
  readonly seed?: number | undefined;
  readonly limit: number;
  readonly restart?: boolean;
  readonly bail?: boolean;
  readonly json?: boolean;
}

const OLDEST_NODE = 22;

const isAny = (broken: readonly Rule[]) => broken.length > 0;

/**
 * Prints the verdict and returns the exit code: 1 if a rule was broken, 2 if there is no verdict.
 */
export async function runDrill({
  json,
  limit,
  restart = false,
  bail = false,
  ...words
}: Words): Promise<number> {
  const { seed = Math.floor(Math.random() * 2 ** 31) } = words;
  const progress = new Progress();
  const halted = new AbortController();
  const halt = (why: string) => halted.abort(new Halt(why));
  onStopSignal(() => halt('The drill was interrupted.'));
  process.stderr.on('error', () => halt('Nobody reads the output any more.'));
  const timer = setTimeout(() => halt(`The limit of ${limit} seconds was reached.`), limit * 1000);
  try {
    requireNode();
    if (words.command.length === 0) {
      throw new Complaint('Give the command of your worker after --.');
    }
    progress.say('Tillgate is starting on a database of its own …');
    const stage = await openStage();
    const ends = { bail: bail ? isAny : () => false, stop: halted.signal };
    const options = { ...words, seed, restart, progress, ...ends };
    const report = await drill(stage, options).finally(stage.close);
    const exitCode = report.passed ? 0 : report.broken.length > 0 ? 1 : 2;
    // The exit code is set even if nobody reads the verdict.
    process.exitCode = exitCode;
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : asText(report));
    return exitCode;
  } catch (error) {
    const reason = halted.signal.reason ?? error;
    const isExpected = reason instanceof Complaint || reason instanceof Halt;
    progress.say(isExpected ? reason.message : inspect(reason));
    return 2;
  } finally {
    clearTimeout(timer);
  }
}

function requireNode(): void {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= OLDEST_NODE) return;
  throw new Complaint(
    `The drill needs Node ${OLDEST_NODE} or newer, and this is ${node}: install a newer one.`,
  );
}
