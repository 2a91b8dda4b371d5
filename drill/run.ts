import { inspect } from 'node:util';
import { onStopSignal } from '../src/process/stop-signals.js';
import { Complaint } from './complaint.js';
import { drill, type Options } from './drill.js';
import { asText } from './report.js';

interface Words extends Pick<Options, 'command' | 'refunds' | 'seconds'> {
  readonly seed?: number | undefined;
  readonly json?: true | undefined;
}

/** Prints the verdict and returns the exit code: 1 if a rule was broken, 2 if the worker could not be tested. */
export async function runDrill({ seed = Math.floor(Math.random() * 2 ** 31), json, ...words }: Words): Promise<number> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const interrupted = new AbortController();
  onStopSignal(() => interrupted.abort(new Complaint('The drill was interrupted.')));
  try {
    if (words.command.length === 0) throw new Complaint('Give the command of your worker after --.');
    const report = await drill({ ...words, seed, say, stop: interrupted.signal });
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : asText(report));
    return report.passed ? 0 : 1;
  } catch (error) {
    const reason = interrupted.signal.reason ?? error;
    say(reason instanceof Complaint ? reason.message : inspect(reason));
    return 2;
  }
}
