/** Runs the steps of one case in order, until a step fails. */
import { randomUUID } from 'node:crypto';
import type { Case, Expectation, RequestOfCase, Role, Step } from './cases.js';
import { checkError } from './errors.js';
import type { Answer, Connection, Sent } from './http.js';
import { compare, type Problem, pick } from './matchers.js';
import { resolve, type Values } from './placeholders.js';

export interface Deployment {
  readonly connection: Connection;
  readonly keys: Readonly<Partial<Record<Role, string>>>;
  /** Holds the values for every case: mode and organization. */
  readonly values: Values;
}

export interface Failure {
  /** The steps are counted from 1. */
  readonly step: number;
  readonly request: RequestOfCase;
  readonly problems: readonly Problem[];
  readonly answer?: { readonly status: number; readonly text: string };
}

/** No case has more pages than this, so the paging of a service that sends more does not end. */
const MAX_PAGES = 500;

export async function runCase(one: Case, deployment: Deployment): Promise<Failure | undefined> {
  const known = {
    ...deployment.values,
    unique: randomUUID().replaceAll('-', ''),
    now: Math.floor(Date.now() / 1000),
  };
  const values: Record<string, unknown> = { ...known };
  for (const [name, value] of Object.entries(one.values)) values[name] = resolve(value, values);
  for (const [index, step] of one.steps.entries()) {
    for (let time = 0; time < (step.times ?? 1); time++) {
      const failure = await runStep(step, deployment, values);
      if (failure) return { step: index + 1, ...failure };
    }
  }
  return undefined;
}

async function runStep(step: Step, deployment: Deployment, values: Record<string, unknown>) {
  const request = resolve(step.request, values) as RequestOfCase;
  const expectation = resolve(step.expect, values) as Expectation;
  let answer: Answer;
  try {
    answer = await (request.walk
      ? walk(request, deployment)
      : deployment.connection.send(toSend(request, deployment)));
  } catch (error) {
    const got = error instanceof Error ? error.message : String(error);
    return { request, problems: [{ at: 'answer', expected: 'an answer', got }] };
  }
  const problems = check(expectation, answer);
  if (problems.length > 0)
    return { request, problems, answer: { status: answer.status, text: answer.text } };
  for (const [name, path] of Object.entries(step.capture ?? {})) values[name] = pick(answer, path);
  return undefined;
}

function check(expectation: Expectation, answer: Answer): Problem[] {
  const { status, headers = {}, body, text, error } = expectation;
  // With a wrong status, other differences are only consequences.
  if (answer.status !== status) return [{ at: 'status', expected: status, got: answer.status }];
  return [
    ...Object.entries(headers).flatMap(([name, value]) =>
      compare(value, pick(answer, `headers.${name}`) ?? null, { at: `headers.${name}`, answer }),
    ),
    ...(text === undefined ? [] : compare(text, answer.text, { at: 'text', answer })),
    ...(body === undefined ? [] : compare(body, answer.body, { at: 'body', answer })),
    ...(error === undefined ? [] : checkError(error, answer)),
  ];
}

function toSend(request: RequestOfCase, { keys }: Deployment): Sent {
  const { method, path, as = 'merchant', text, base64 } = request;
  const body = withFields(request);
  const bytes =
    base64 === undefined
      ? (text ?? (body === undefined ? undefined : JSON.stringify(body)))
      : Buffer.from(base64, 'base64');
  const headers: Record<string, string | string[]> = {};
  const key = keys[as];
  const defaults = {
    Authorization: key === undefined ? null : `Bearer ${key}`,
    'Content-Type': bytes === undefined ? null : 'application/json',
    'Idempotency-Key': method === 'POST' ? randomUUID() : null,
  };
  for (const [name, value] of Object.entries({ ...defaults, ...request.headers })) {
    if (value !== null) headers[name] = value;
  }
  return { method, path, headers, body: bytes === undefined ? undefined : Buffer.from(bytes) };
}

/** Returns the body with the values of `set` at their places: `line_items[0].quantity`. */
function withFields({ body, set = {} }: RequestOfCase): unknown {
  const changed = structuredClone(body);
  for (const [path, value] of Object.entries(set)) {
    const steps = path.split(/[.[\]]+/).filter(Boolean);
    const last = steps.pop() as string;
    // Objects on the way to a place are made where the body has none.
    const holder = steps.reduce(
      (at, step, index) => {
        at[step] ??= /^\d+$/.test(steps[index + 1] ?? last) ? [] : {};
        return at[step] as Record<string, unknown>;
      },
      changed as Record<string, unknown>,
    );
    Object.defineProperty(holder, last, { value, enumerable: true });
  }
  return changed;
}

/**
 * Reads all pages of a list into one response with the body { pages, ids }. A response that is not
 * a page is returned unchanged.
 */
async function walk(request: RequestOfCase, deployment: Deployment): Promise<Answer> {
  const ids: string[] = [];
  let path = request.path;
  for (let pages = 1; pages <= MAX_PAGES; pages++) {
    const answer = await deployment.connection.send(toSend({ ...request, path }, deployment));
    const page = answer.body as {
      data?: { id: string }[];
      has_more?: boolean;
      next_cursor?: string;
    };
    if (answer.status !== 200 || !Array.isArray(page?.data)) return answer;
    ids.push(...page.data.map(({ id }) => id));
    if (!page.has_more)
      return { ...answer, body: { pages, ids }, text: JSON.stringify({ pages, ids }) };
    path = `${request.path}${request.path.includes('?') ? '&' : '?'}cursor=${page.next_cursor}`;
  }
  throw new Error(`has_more is still true after ${MAX_PAGES} pages`);
}
