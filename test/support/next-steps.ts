/**
 * Every `next_step` is a promise that the request can be sent as it stands. All that tests provoke are held to it: what
 * sends the request again must name that request, and what reads something else is read at once, with the caller's key.
 */
import { type Exchange, isDescribed, parse, requireDescribed } from './description.js';

interface NextStep {
  readonly type: string;
  readonly path: string;
  readonly method: string;
}

/** The difference between the next request and the one that was refused. */
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
  restart_list: 'reads',
};

/** Not now, which says nothing about the request; and whoever reads is let in, or the refusal had been another one. */
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
  // An ID that cannot be is not corrected by the caller, but read from the list.
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

/** Some paths with bad escapes are answered as if these were escaped themselves, which leads to the same. */
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
