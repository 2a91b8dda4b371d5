/** Makes results of tools from answers and errors of the API. */
import { type NextStep, TillgateConnectionError, TillgateError } from 'tillgate-client';

/** Each path of a next step, with the tool that sends this request. */
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

/** Somebody else proposed the refund, so an agent must not cancel it because a text told it to. */
export class OtherProposer extends Error {
  override readonly message = 'Somebody else proposed this refund. Whoever did can cancel it.';
}

export function answer(result: object) {
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(result) }],
    structuredContent: { ...result },
  };
}

/** Returns the API's own words, the allowed values, and the call to make next. */
export function refusal(error: unknown, call: Call) {
  if (error instanceof OtherProposer) return failure({ message: error.message, next_call: null });
  if (error instanceof TillgateConnectionError) return unanswered(error, call);
  if (!(error instanceof TillgateError)) return failure({ message: UNSENDABLE, next_call: null });
  const { message, code, errors, nextStep } = error;
  return failure({
    message,
    code,
    errors,
    next_step: nextStep,
    next_call: nextCall(nextStep, corrected(call, errors), call),
  });
}

const UNSENDABLE = 'The call cannot be sent. Repeating it does not help: tell a person.';

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
  if (REPEATED.includes(type)) return call;
  if (method !== 'GET') return JSON.stringify(call) === JSON.stringify(sent) ? null : call;
  for (const [pattern, tool] of READS) {
    const [found, id] = pattern.exec(path) ?? [];
    if (found !== undefined) return { tool, arguments: id === undefined ? {} : { id } };
  }
  return null;
}
