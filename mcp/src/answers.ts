/** How answers and errors of the API become results of tools. */
import { type NextStep, TillgateConnectionError, TillgateError } from 'tillgate-client';

/** The tool that sends what a next step of the API names. */
const READS: readonly (readonly [path: RegExp, tool: string])[] = [
  [/^\/v1\/checkout_sessions\/(\w+)$/, 'read_session'],
  [/^\/v1\/payments\/(\w+)$/, 'read_payment'],
  [/^\/v1\/refunds\/(\w+)$/, 'read_refund'],
  [/^\/v1\/checkout_sessions(?:\?|$)/, 'find_sessions'],
  [/^\/v1\/refunds(?:\?|$)/, 'list_refunds'],
];

interface Call {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export function answer(result: object) {
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(result) }],
    structuredContent: { ...result },
  };
}

/** The API's own words, what would be allowed, and the call to make next. */
export function refusal(error: unknown, call: Call) {
  if (error instanceof TillgateConnectionError) {
    return failure({
      message: 'Tillgate did not answer. Repeating the call is safe.',
      next_call: call,
    });
  }
  if (!(error instanceof TillgateError)) throw error;
  const { message, code, errors, nextStep } = error;
  return failure({
    message,
    code,
    errors,
    next_step: nextStep,
    next_call: nextCall(nextStep, corrected(call, errors)),
  });
}

function failure(said: object) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(said) }], isError: true };
}

/** The call with the one value that is allowed, where only one is: repeated as it was, it would be refused again. */
function corrected({ tool, arguments: given }: Call, errors: TillgateError['errors']): Call {
  const allowed = errors.flatMap(({ param, allowed: [value, ...others] }) => {
    if (param === null || value === undefined || others.length > 0) return [];
    return [[param, typeof given[param] === 'number' ? Number(value) : value]];
  });
  return { tool, arguments: { ...given, ...Object.fromEntries(allowed) } };
}

/** Null where no tool helps: another key, which an agent has not. */
function nextCall({ type, path, method }: NextStep, call: Call): Call | null {
  if (['use_key', 'authenticate', 'call_from_server'].includes(type)) return null;
  if (method !== 'GET') return call;
  for (const [pattern, tool] of READS) {
    const [found, id] = pattern.exec(path) ?? [];
    if (found !== undefined) return { tool, arguments: id === undefined ? {} : { id } };
  }
  return null;
}
