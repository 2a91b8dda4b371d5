/**
 * Compares requests and answers with docs/openapi.json. Answers are closed here, which they are not
 * for clients, so the first test that receives a field that is not described finds it.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { closed, kindOf, type Node, parse, textOf, typed, valueAt } from './described-values.js';

export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Headers;
  /** The body is undefined if there is none. Text or bytes stay as they were sent. */
  readonly requestBody: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A place is where an operation stands in the document, with the pattern of its path. */
interface Place {
  readonly pattern: RegExp;
  readonly methods: Readonly<Record<string, Node>>;
  readonly path: string;
}

export class Description {
  /**
   * Each test file compiles the schemas that it meets. Shared code that is not made smaller
   * compiles in a third of the time.
   */
  private readonly ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    allErrors: true,
    inlineRefs: false,
    code: { optimize: false },
  });
  private readonly checks = new Map<string, ValidateFunction>();
  private readonly places: readonly Place[];
  private readonly document: Node;

  constructor(document: Node) {
    this.document = closed(document);
    this.ajv.addSchema({ $id: 'openapi', ...this.document });
    this.places = Object.entries<Node>(document.paths).map(([path, methods]) => ({
      path,
      methods,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace('{id}', '(?<id>[^/]+)')}$`),
    }));
  }

  /** Returns everything about the exchange that is not described. */
  faultsOf(exchange: Exchange): string[] {
    const { pathname } = new URL(exchange.url);
    const method = exchange.method.toLowerCase();
    const matching = this.places.filter(({ pattern }) => pattern.test(pathname));
    const place = matching.find(({ methods }) => methods[method]) ?? matching[0];
    if (!place?.methods[method]) return this.unrouted(exchange, place);
    const where = `${exchange.method} ${place.path}`;
    const at = ['paths', place.path, method];
    const faults = this.answerFaults(exchange, at, where);
    const wrong = this.requestFaults(exchange, at, place);
    if (exchange.status < 300)
      faults.push(...wrong.map((fault) => `${where} was accepted, but ${fault}`));
    // A 503 may come before the service looks at anything. A wrong request is never the service's
    // own fault.
    else if (exchange.status === 500)
      faults.push(...wrong.map((fault) => `${where} failed instead of saying that ${fault}`));
    return faults;
  }

  faultsOfWebhook(headers: Readonly<Record<string, string>>, text: string): string[] {
    const event = parse(text) as Node;
    const at = [
      'webhooks',
      `${event?.organization === undefined ? '' : 'ledger.'}${event?.type}`,
      'post',
    ];
    const webhook = this.follow(at);
    if (!webhook) return [`the webhook ${event?.type} is not described`];
    const names = Object.keys(webhook.node.parameters).map(
      (index) => this.follow([...at, 'parameters', index])?.node.name,
    );
    const missing = names.filter((name) => headers[name] === undefined);
    return [
      ...missing.map((name) => `webhook ${event.type}: the header ${name} is missing`),
      ...this.validate(
        [...at, 'requestBody', 'content', 'application/json', 'schema'],
        event,
        `webhook ${event.type}`,
      ),
    ];
  }

  faultsOfError(text: string): string[] {
    return this.validate(['components', 'schemas', 'Error'], parse(text), 'an error');
  }

  /** Tells whether the path is an operation, or a page of the documentation itself. */
  describes({ method, path }: { method: string; path: string }): boolean {
    // The path is taken as it was sent, because a URL parser reads %2e%2e as a step up.
    const [pathname = ''] = path.split('?');
    if (method === 'GET' && DOCUMENTATION.test(pathname)) return true;
    return this.places.some(
      ({ pattern, methods }) => pattern.test(pathname) && methods[method.toLowerCase()],
    );
  }

  /**
   * Other requests are answered with the envelope, except for preflights and the documentation
   * itself.
   */
  private unrouted({ method, url, status, text }: Exchange, place: Place | undefined): string[] {
    const where = `${method} ${new URL(url).pathname}`;
    if (method === 'OPTIONS' || method === 'HEAD' || DOCUMENTATION.test(new URL(url).pathname))
      return [];
    const expected = place ? [405] : [404];
    // Fastify's router reads a malformed path before it looks it up, so a 400 is an answer too.
    if (![...expected, 400].includes(status))
      return [`${where} is not described, and was answered ${status}`];
    return this.validate(['components', 'schemas', 'Error'], parse(text), `${where} ${status}`);
  }

  private answerFaults({ status, headers, text }: Exchange, at: string[], where: string): string[] {
    const response = this.follow([...at, 'responses', String(status)]);
    if (!response) return [`${where}: status ${status} is not described`];
    const type = headers.get('content-type') ?? '';
    const described = Object.keys(response.node.content ?? {});
    const mediaType = described.find((one) => normal(type).startsWith(normal(one)));
    if (!mediaType) return [`${where} ${status}: ${type} is not described`];
    const value = type.startsWith('application/json') ? parse(text) : text;
    return [
      ...this.validate(
        [...response.at, 'content', mediaType, 'schema'],
        value,
        `${where} ${status}`,
      ),
      ...this.headerFaults(response, headers, `${where} ${status}`),
    ];
  }

  private headerFaults(response: Found, headers: Headers, where: string): string[] {
    return Object.keys(response.node.headers ?? {}).flatMap((name) => {
      const { at, node } = this.follow([...response.at, 'headers', name]) as Found;
      const value = headers.get(name);
      if (value === null) return node.required ? [`${where}: the header ${name} is missing`] : [];
      return this.validate([...at, 'schema'], typed(node.schema, value), `${where} header ${name}`);
    });
  }

  private requestFaults(exchange: Exchange, at: string[], place: Place): string[] {
    const operation = this.follow(at) as Found;
    const url = new URL(exchange.url);
    const given: Readonly<Record<string, (name: string) => string | null>> = {
      path: () => place.pattern.exec(url.pathname)?.groups?.id ?? null,
      query: (name) => url.searchParams.get(name),
      header: (name) => textOf(exchange.requestHeaders.get(name)),
    };
    const parameters = (operation.node.parameters as Node[]).map((_, index) => {
      return this.follow([...at, 'parameters', String(index)]) as Found;
    });
    const faults = parameters.flatMap((parameter) => {
      const { name, in: place, required, schema } = parameter.node;
      const value = given[place]?.(name) ?? null;
      if (value === null) return required ? [`the ${place} parameter ${name} is missing`] : [];
      return this.validate(
        [...parameter.at, 'schema'],
        typed(schema, value),
        `the ${place} parameter ${name}`,
      );
    });
    const known = parameters.filter(({ node }) => node.in === 'query').map(({ node }) => node.name);
    const unknown = [...new Set(url.searchParams.keys())].filter((name) => !known.includes(name));
    // An operation without parameters does not look at the query at all.
    if (known.length > 0)
      faults.push(...unknown.map((name) => `the query parameter ${name} is not described`));
    const needsKey = operation.node.security.length > 0 && !operation.node.security.some(isEmpty);
    if (needsKey && !/^(bearer|basic) /i.test(exchange.requestHeaders.get('authorization') ?? ''))
      faults.push('no key was sent');
    return [...faults, ...this.bodyFaults(exchange, operation)];
  }

  private bodyFaults({ requestBody }: Exchange, { at, node }: Found): string[] {
    const isEmpty = requestBody === undefined || requestBody === '';
    if (isEmpty) return node.requestBody?.required ? ['the body is missing'] : [];
    if (!node.requestBody) return [];
    const body =
      requestBody instanceof Uint8Array ? Buffer.from(requestBody).toString() : requestBody;
    const value = typeof body === 'string' ? parse(body) : JSON.parse(JSON.stringify(body));
    return this.validate(
      [...at, 'requestBody', 'content', 'application/json', 'schema'],
      value,
      'the body',
    );
  }

  private validate(at: readonly string[], value: unknown, where: string): string[] {
    const pointer = `openapi#/${at.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    let check = this.checks.get(pointer);
    if (!check) {
      check = this.ajv.compile({ $ref: pointer });
      this.checks.set(pointer, check);
    }
    if (check(value)) return [];
    const faults = (check.errors ?? []).map(({ instancePath, message, keyword, params }) => {
      const name = params.unevaluatedProperty ?? params.additionalProperty ?? params.allowedValue;
      const found = keyword === 'type' ? `, and is ${kindOf(valueAt(instancePath, value))}` : '';
      return `${where}${instancePath}: ${message}${name === undefined ? '' : ` (${name})`}${found}`;
    });
    return [...new Set(faults)];
  }

  /** Returns the node at a place, and its real place when references are followed. */
  private follow(at: readonly string[]): Found | undefined {
    const node = at.reduce((inside: Node, step) => inside?.[step], this.document);
    if (typeof node?.$ref === 'string') return this.follow(node.$ref.slice(2).split('/'));
    return node === undefined ? undefined : { at, node };
  }
}

interface Found {
  readonly at: readonly string[];
  readonly node: Node;
}

const DOCUMENTATION = /^\/(openapi\.json|llms(-full)?\.txt|docs(\/.*)?)?$/;

const normal = (mediaType: string): string => mediaType.toLowerCase().replaceAll(' ', '');

const described = new Description(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));

export const faultsOf = (exchange: Exchange): string[] => described.faultsOf(exchange);
export const faultsOfError = (text: string): string[] => described.faultsOfError(text);

/** Throws when anything about the exchange is not described. */
export function requireDescribed(exchange: Exchange): void {
  refuse(described.faultsOf(exchange));
}

/** Throws when anything about the webhooks is not described. */
export function requireDescribedWebhooks(
  webhooks: readonly { headers: Readonly<Record<string, string>>; text: string }[],
): void {
  refuse(webhooks.flatMap(({ headers, text }) => described.faultsOfWebhook(headers, text)));
}

export const isDescribed = (request: { method: string; path: string }): boolean =>
  described.describes(request);

function refuse(faults: readonly string[]): void {
  if (faults.length === 0) return;
  const list = faults.map((fault) => `- ${fault}`).join('\n');
  throw new Error(
    `What was sent and what docs/openapi.json describes are not the same. A line with a status is about the answer, any other about the request: it says what the description demands, and after "and is" what was sent. If the description is wrong, change what it is made from and run npm run generate.\n${list}`,
  );
}

/** Tells whether this security requirement needs nothing. */
const isEmpty = (requirement: object): boolean => Object.keys(requirement).length === 0;
