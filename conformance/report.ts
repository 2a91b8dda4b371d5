/** Prints the results for people. */
import type { RequestOfCase } from './cases.js';
import type { Failure } from './run-case.js';

export interface Outcome {
  readonly name: string;
  readonly source: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Says why the case was skipped. */
  readonly reason?: string;
  readonly failure?: Failure;
}

export interface Report {
  readonly base_url: string;
  readonly topics: readonly {
    readonly name: string;
    readonly title: string;
    readonly cases: readonly Outcome[];
  }[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
}

const MAX_SHOWN = 400;

export function asText({ base_url, topics, passed, failed, skipped, seconds }: Report): string {
  const parts = topics.map(({ name, title, cases }) => {
    const details = cases.filter(({ outcome }) => outcome !== 'passed').flatMap(detail);
    return [`${name}: ${title}`, `  ${counts(cases)}`, ...details].join('\n');
  });
  const verdict = failed === 0 ? 'Conforms' : 'Does not conform';
  const left = skipped === 0 ? '' : `, ${skipped} skipped`;
  const summary = `${verdict}: ${passed} passed, ${failed} failed${left} in ${seconds} s.`;
  return [`Conformance of ${base_url}`, ...parts, summary].join('\n\n');
}

function counts(cases: readonly Outcome[]): string {
  const of = (wanted: Outcome['outcome']) =>
    cases.filter(({ outcome }) => outcome === wanted).length;
  const numbers = (['passed', 'failed', 'skipped'] as const).map(
    (outcome) => [of(outcome), outcome] as const,
  );
  return numbers
    .filter(([count]) => count > 0)
    .map((pair) => pair.join(' '))
    .join(', ');
}

function detail({ name, source, reason, failure }: Outcome): string[] {
  if (!failure) return [`  skipped  ${name} (${source}): ${reason}`];
  const { step, request, problems, answer } = failure;
  return [
    `  FAILED   ${name} (${source})`,
    `    step ${step} sent  ${sent(request)}`,
    ...problems.flatMap(({ at, expected, got }) => [
      `    ${at}`,
      `      expected  ${shown(expected)}`,
      `      got       ${shown(got)}`,
    ]),
    ...(answer ? [`    answer  ${answer.status} ${cut(answer.text)}`] : []),
  ];
}

function sent({
  method,
  path,
  as = 'merchant',
  headers = {},
  body,
  text,
  base64,
  walk,
}: RequestOfCase): string {
  const content = text ?? base64 ?? (body === undefined ? undefined : JSON.stringify(body));
  const lines = Object.entries(headers).map(([name, value]) =>
    value === null
      ? `without ${name}`
      : [value]
          .flat()
          .map((one) => `${name}: ${one}`)
          .join(', '),
  );
  const facts = [`as ${as}`, ...(walk ? ['all pages'] : []), ...lines];
  return cut(
    [
      `${method} ${path}`,
      `(${facts.join('; ')})`,
      ...(content === undefined ? [] : [content]),
    ].join(' '),
  );
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  return cut(typeof value === 'string' ? value : JSON.stringify(value));
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN
    ? text
    : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
}
