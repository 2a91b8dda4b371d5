/**
 * Every `next_step` promises that the request can be sent as it stands. This file checks all next
 * steps that tests provoke. A step that sends the request again must name that request. A step that
 * reads something else is sent at once, with the caller's key.
 */
import { parse } from './described-values.js';
import { type Exchange, isDescribed, requireDescribed } from './description.js';

interface NextStep {
  readonly type: string;
  readonly path: string;
  readonly method: string;
}

/** Each kind says how the next request differs from the refused one. */
const KINDS: Readonly<Record<string, 'body or parameter' | 'header' | 'method' | 'reads'>> = {
  fix_request: 'body or parameter',
  lower_amount: 'body or parameter',
  authenticate: 'header',
  call_from_server: 'header',
  use_key: 'header',
  use_new_idempotency_key: 'header',
  retry: 'header',
  use_method: 'method',
  list_resources: 'reads',
  read_resource: 'reads',
  use_existing_session: 'reads',
  restart_list: 'reads',
};

/** These statuses say nothing about the request, because it may only be sent later. */
const NOT_NOW = [429, 503];

/** Throws when the next step of an error answer, if it is one, is no request to this service. */
export function requireCallable(text: string): NextStep | undefined {
  const { next_step: step } =
    (parse(text) as { error?: { next_step: NextStep } } | undefined)?.error ?? {};
  if (!step) return undefined;
  requireThat(/^\/(?!.*([{}]|\/:))/.test(step.path), step, 'is not filled in');
  requireThat(isDescribed(step), step, 'is not described');
  return step;
}

/** Throws when the next step of an error answer, if it is one, cannot be taken as it stands. */
export async function requireNextStep(exchange: Exchange): Promise<void> {
  const step = requireCallable(exchange.text);
  if (!step) return;
  const { path, method } = step;
  const { pathname, search } = new URL(exchange.url);
  // The caller does not correct a malformed ID, but reads the right one from the list.
  const kind = isMalformedId(exchange.text) ? 'reads' : KINDS[step.type];
  requireThat(kind !== undefined, step, 'is of no known kind');
  if (kind === 'body or parameter')
    requireThat(isSame(step, exchange, pathname), step, 'is another request');
  if (kind === 'header')
    requireThat(isSame(step, exchange, pathname + search), step, 'is another request');
  if (kind === 'method') {
    const isAllowed = exchange.headers.get('allow')?.split(', ').includes(method) ?? false;
    requireThat(
      isAllowed && isSame({ path, method: exchange.method }, exchange, pathname),
      step,
      'is not allowed',
    );
  }
  if (kind === 'reads') requireThat(method === 'GET', step, 'is not a read');
  if (kind === 'reads' && isDescribed({ method: exchange.method, path: pathname }))
    await read(step, exchange);
}

function isMalformedId(text: string): boolean {
  const [first] = (parse(text) as { error: { errors: { param: string; code: string }[] } }).error
    .errors;
  return first?.param === 'id' && first.code === 'invalid_format';
}

/**
 * The service answers some paths with bad escapes as if these were escaped themselves, which leads
 * to the same resource.
 */
function isSame(
  { path, method }: Omit<NextStep, 'type'>,
  exchange: Exchange,
  expected: string,
): boolean {
  // A preflight is about the request that the browser would make.
  const isMethod = exchange.method === 'OPTIONS' || method === exchange.method;
  return isMethod && path.replaceAll('%25', '%') === expected.replaceAll('%25', '%');
}

async function read(step: NextStep, { url, requestHeaders }: Exchange): Promise<void> {
  const authorization = requestHeaders.get('authorization') ?? '';
  const request = new Request(new URL(step.path, url), {
    method: step.method,
    headers: { authorization },
  });
  // A service that was ended meanwhile has broken no promise.
  const answer = await fetch(request).catch(() => undefined);
  if (!answer || NOT_NOW.includes(answer.status)) return void (await answer?.body?.cancel());
  const { status, headers } = answer;
  const { headers: sent, method } = request;
  const text = await answer.text();
  requireDescribed({
    method,
    url: request.url,
    requestHeaders: sent,
    requestBody: undefined,
    status,
    headers,
    text,
  });
  requireThat(status === 200, step, `was answered ${status}`);
}

function requireThat(isSo: boolean, { type, method, path }: NextStep, otherwise: string): void {
  if (!isSo) throw new Error(`The next step ${type}, ${method} ${path}, ${otherwise}.`);
}
