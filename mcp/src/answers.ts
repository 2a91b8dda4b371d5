/** Makes results of tools from answers and errors of the API. */
import { ZodError } from 'zod';
import { type NextStep, TillgateConnectionError, TillgateError } from '../../client/src/index.js';
import { type Right, UnfitKey } from './rights.js';

/** Each path of a next step, with the tool that sends this request. */
const READS: readonly (readonly [path: RegExp, tool: string])[] = [
  [/^\/v1\/checkout_sessions\/(\w+)$/, 'read_session'],
  [/^\/v1\/payments\/(\w+)$/, 'read_payment'],
  [/^\/v1\/refunds\/(\w+)$/, 'read_refund'],
  [/^\/v1\/checkout_sessions$/, 'find_sessions'],
  [/^\/v1\/payments$/, 'find_payments'],
  [/^\/v1\/refunds$/, 'list_refunds'],
];

export interface Call {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Somebody else proposed the refund, so an agent must not cancel it because a text told it to. */
export class OtherProposer extends Error {
  override readonly message = 'Somebody else proposed this refund. Whoever did can cancel it.';
}

export class MissingRight extends Error {
  constructor(right: Right) {
    super(`The key lacks the right ${right}. Repeating the call does not help: tell a person.`);
  }
}

export class TooManyCalls extends Error {
  override readonly message = 'Too many calls in one second. Wait a second, then repeat the call.';
}

export function answer(result: object) {
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(result) }],
    structuredContent: { ...result },
  };
}

/** Returns the API's own words, the allowed values, and the call to make next. */
export function refusal(error: unknown, call: Call) {
  if (error instanceof TillgateError) return refused(error, call);
  if (error instanceof TillgateConnectionError) return unanswered(error, call);
  if (error instanceof ZodError) return misfit(error);
  if (error instanceof TooManyCalls) return failure({ message: error.message, next_call: call });
  if (FINAL.some((kind) => error instanceof kind))
    return failure({ message: (error as Error).message, next_call: null });
  return failure({ message: UNSENDABLE, next_call: null });
}

/** No other call helps against these refusals. */
const FINAL = [OtherProposer, MissingRight, UnfitKey];
const UNSENDABLE = 'The call cannot be sent. Repeating it does not help: tell a person.';

function refused({ message, code, errors, nextStep }: TillgateError, call: Call) {
  const next_call = nextCall(nextStep, corrected(call, errors), call);
  return failure({ message, code, errors, next_step: nextStep, next_call });
}

/**
 * A fault of the network, or of a proxy before Tillgate, may pass by itself; no other fault does.
 */
function unanswered({ status }: TillgateConnectionError, call: Call) {
  if (status === undefined || status === 429 || status >= 500) {
    const message = 'Tillgate did not answer. Repeating the call is safe.';
    return failure({ message, next_call: call });
  }
  const other = `What answered, with ${status}, is not Tillgate, or is too large.`;
  return failure({
    message: `${other} Repeating the call does not help: tell a person.`,
    next_call: null,
  });
}

/** The arguments do not fit the tool, and only the caller can correct them. */
function misfit({ issues }: ZodError) {
  const errors = issues.map((issue) => ({
    param: issue.path.join('.'),
    code: 'invalid_value',
    message: issue.message,
    allowed: allowedBy(issue),
  }));
  const said = errors.map(({ param, message }) =>
    param === '' ? message : `${param}: ${message}`,
  );
  const message = `The arguments do not fit the tool. ${said.join('. ')}.`;
  return failure({ message, code: 'invalid_param', errors, next_call: null });
}

const allowedBy = (issue: ZodError['issues'][number]): string[] =>
  issue.code === 'invalid_value' ? issue.values.map(String) : [];

function failure(said: object) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(said) }], isError: true };
}

/**
 * Returns the call with the allowed value, if there is only one: the unchanged call would be
 * refused again.
 */
function corrected({ tool, arguments: given }: Call, errors: TillgateError['errors']): Call {
  const allowed = errors.flatMap(({ param, allowed: [value, ...others] }) => {
    if (param === null || value === undefined || others.length > 0) return [];
    return [[param, typeof given[param] === 'number' ? Number(value) : value]];
  });
  return { tool, arguments: { ...given, ...Object.fromEntries(allowed) } };
}

/** After these steps the same call may succeed. It has another idempotency key each time. */
const REPEATED: readonly string[] = ['retry', 'use_new_idempotency_key'];

/**
 * Returns null where no tool helps: the agent has no other key, or the same call would be refused
 * again.
 */
function nextCall({ type, path, method }: NextStep, call: Call, sent: Call): Call | null {
  if (['use_key', 'authenticate', 'call_from_server'].includes(type)) return null;
  if (REPEATED.includes(type)) return sent;
  if (method !== 'GET') return JSON.stringify(call) === JSON.stringify(sent) ? null : call;
  const { pathname, searchParams } = new URL(path, 'http://tillgate');
  for (const [pattern, tool] of READS) {
    const [found, id] = pattern.exec(pathname) ?? [];
    if (found === undefined) continue;
    return { tool, arguments: id === undefined ? filtersOf(searchParams) : { id } };
  }
  return null;
}

function filtersOf(query: URLSearchParams): Call['arguments'] {
  const { limit, ...filters } = Object.fromEntries(query);
  return limit === undefined ? filters : { ...filters, limit: Number(limit) };
}
