import { onStopSignal } from '../src/process/stop-signals.js';
import { Complaint } from './complaint.js';
import { drill, type Options, type Report } from './drill.js';
import { RULES } from './verdict.js';

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
    process.stdout.write(json ? `${JSON.stringify(withSentences(report))}\n` : asText(report));
    return report.passed ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    say(error.message);
    return 2;
  }
}

function withSentences({ broken, ...report }: Report) {
  return { ...report, broken: broken.map((one) => ({ ...one, sentence: RULES[one.rule] })) };
}

function asText({ passed, seed, refunds, totals, faults, kills, broken }: Report): string {
  const met = Object.entries({ ...faults, 'kill -9': kills }).map(([fault, count]) => `${count} × ${fault}`);
  const currencies = Object.keys({ ...totals.provider, ...totals.tillgate }).sort();
  const amounts = currencies.map((currency) => {
    const [paid = 0, booked = 0] = [totals.provider[currency], totals.tillgate[currency]];
    const difference = paid === booked ? 'equal' : `difference ${paid - booked}`;
    return `  ${currency}  ${paid} paid by the provider, ${booked} succeeded in Tillgate: ${difference}`;
  });
  const rules = broken.flatMap(({ rule, refunds, refund, history }) => [
    '',
    `${refunds} of the refunds: ${RULES[rule]}`,
    `The shortest history, of ${refund}:`,
    ...history.map((line) => `  ${line}`),
  ]);
  const verdict = passed ? 'PASSED: every refund was paid once or not at all, and Tillgate says which.' : 'FAILED';
  const lines = [
    `${verdict}`,
    `${refunds} refunds, seed ${seed}; ${met.join(', ')}.`,
    'In minor units:',
    ...amounts,
    ...rules,
  ];
  return `${lines.join('\n')}\n`;
}
