/**
 * The robot is a caller that has read nothing but the OpenAPI document. It looks at
 * `errors[].code`, `.param`, `.allowed` and `next_step` of an error, and follows them until it is
 * let in. It knows nothing else.
 */
import { randomUUID } from 'node:crypto';
import { type Reply, send } from './client.js';

// biome-ignore lint/suspicious/noExplicitAny: a schema is whatever the document says.
type Schema = any;
type Fields = Record<string, unknown>;

/** A creation needs fewer attempts than these, and a robot that goes in circles makes more. */
const MAX_ATTEMPTS = 15;
/** The right value for these codes is in `allowed`. */
const SAID_BY_ALLOWED = ['amount_mismatch', 'currency_mismatch'];

export interface Surroundings {
  readonly url: string;
  readonly document: Schema;
  readonly key: string;
}

/** The first request may be right or wrong. */
export interface Start {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Problem {
  readonly param: string;
  readonly code: string;
  readonly allowed: readonly string[];
}

/**
 * A place is something in the request, with the object that holds it and what the document says
 * about it.
 */
interface Place {
  readonly holder: Fields;
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export class Robot {
  private readonly request: { headers: Record<string, string>; body?: unknown };
  /** The set has all texts from the answers to next steps, where the robot finds identifiers. */
  private readonly found = new Set<string>();
  /** The set has refused values by parameter, which must not be tried again. */
  private readonly refused = new Set<string>();

  constructor(
    private readonly surroundings: Surroundings,
    start: Start = {},
  ) {
    this.request = structuredClone({ headers: {}, ...start });
  }

  /**
   * Goes from an error to a success, or throws an error of its own where nothing says how to go on.
   */
  async create(path: string): Promise<{ attempts: number; reply: Reply }> {
    let target = { method: 'POST', path };
    for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++) {
      const { headers, body } = this.request;
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const reply = await this.send(target, { headers, ...sent });
      if (!reply.body.error) return { attempts, reply };
      const { errors, next_step: next } = reply.body.error;
      if (next.method === 'GET') this.learn((await this.send(next)).body);
      else target = next;
      if (next.type === 'use_new_idempotency_key') headers['idempotency-key'] = randomUUID();
      else for (const problem of errors) this.mend(problem, this.placeOf(problem.param, target));
    }
    throw new Error(`Went in circles at ${path}.`);
  }

  private send(
    { method, path }: { method: string; path: string },
    sent: object = {},
  ): Promise<Reply> {
    return send(method, this.surroundings.url + path, { key: this.surroundings.key, ...sent });
  }

  private mend(
    { param, code, allowed }: Problem,
    { holder, name, schema, isRequired }: Place,
  ): void {
    const current = holder[name];
    // A sum that was not sent is wrong because of amounts that were sent, which have entries of
    // their own.
    if (current === undefined && code !== 'required') return;
    if (current !== undefined) this.refused.add(attempted(param, current));
    if (allowed.length === 0 && SAID_BY_ALLOWED.includes(code))
      throw new Error(`Nothing is allowed as ${param}.`);
    const possible =
      allowed.length > 0
        ? allowed.map((text) => typed(text, schema))
        : this.guesses(schema, current);
    const next = possible.find((value) => !this.refused.has(attempted(param, value)));
    if (code !== 'unknown_field' && next !== undefined) holder[name] = next;
    else if (!isRequired) delete holder[name];
    else throw new Error(`${param} is ${code}, and nothing says what it may be.`);
  }

  /** A parameter is a header, the body, or a path into the body. */
  private placeOf(param: string, { method, path }: { method: string; path: string }): Place {
    const { parameters, requestBody } =
      this.surroundings.document.paths[path][method.toLowerCase()];
    if (/^[A-Z]/.test(param)) {
      const described = parameters.map(this.resolve).find((one: Schema) => one.name === param);
      const isRequired = described?.required ?? false;
      return {
        holder: this.request.headers,
        name: param.toLowerCase(),
        schema: described?.schema ?? {},
        isRequired,
      };
    }
    const steps = ['body', ...(param === 'body' ? [] : param.split(/[.[\]]+/).filter(Boolean))];
    const name = steps.pop() as string;
    let [holder, rules]: [Fields, Schema] = [
      this.request as unknown as Fields,
      rootOf(requestBody),
    ];
    for (const step of steps) {
      rules = this.inside(rules, step);
      holder[step] ??= rules.type === 'array' ? [] : {};
      holder = holder[step] as Fields;
    }
    const isRequired = rules.type === 'array' || (rules.required?.includes(name) ?? false);
    return { holder, name, schema: this.inside(rules, name), isRequired };
  }

  private inside(rules: Schema, step: string): Schema {
    return this.resolve(
      rules.properties?.[step] ?? rules.items ?? rules.additionalProperties ?? {},
    );
  }

  /** Returns values that the document allows, examples first. */
  private guesses(schema: Schema, current: unknown): unknown[] {
    const { type, items, minItems = 0, minimum = 0, maximum, examples = [] } = this.resolve(schema);
    const kind = [type].flat()[0];
    if (kind === 'array')
      return [Array.from({ length: minItems }, () => this.guesses(items, undefined)[0])];
    if (kind === 'object') return [{}];
    if (kind === 'string') return [...examples, ...this.texts(schema)];
    const isPermitted =
      Number.isInteger(current) && Number(current) >= minimum && Number(current) <= maximum;
    // The document allows the value, so only the answer can say what is wrong.
    return isPermitted || kind !== 'integer' ? [] : [...examples, minimum];
  }

  /** Returns texts that match the pattern. Without a pattern, any text is right. */
  private texts({ pattern, minLength = 1 }: Schema): string[] {
    if (pattern === undefined) return ['x'.repeat(minLength)];
    return [...this.found].filter((text) => new RegExp(pattern).test(text));
  }

  private readonly resolve = (schema: Schema): Schema => {
    if (!schema.$ref) return schema;
    const steps: string[] = schema.$ref.split('/').slice(1);
    return steps.reduce((at, step) => at[step], this.surroundings.document);
  };

  private learn(value: unknown): void {
    if (typeof value === 'string') this.found.add(value);
    if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) this.learn(each);
  }
}

const attempted = (param: string, value: unknown): string => `${param}: ${JSON.stringify(value)}`;

const typed = (text: string, { type }: Schema): unknown =>
  [type].flat().includes('integer') ? Number(text) : text;

/** Returns a schema of the request as an object that holds its body. */
const rootOf = ({ required, content }: Schema): Schema => ({
  properties: { body: content['application/json'].schema },
  required: required ? ['body'] : [],
});
