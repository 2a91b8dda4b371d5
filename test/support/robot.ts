/** A caller that has read nothing but the OpenAPI document: it does what error answers tell it, until it is let in. */
import { randomUUID } from 'node:crypto';
import { type Reply, send } from './client.js';

// biome-ignore lint/suspicious/noExplicitAny: a schema is whatever the document says.
type Schema = any;
type Body = Record<string, unknown>;

/** More than any creation needs; fewer than a robot that goes in circles. */
const MAX_ATTEMPTS = 15;

export interface Attempt {
  readonly status: number;
  readonly code: string | undefined;
}

export class Robot {
  /** Every text the API has shown so far: where identifiers come from. */
  private readonly seen = new Set<string>();
  /** Values that were refused: not to be tried again. */
  private readonly refused = new Set<unknown>();

  constructor(
    private readonly url: string,
    private readonly document: Schema,
  ) {}

  /** From this body to a 201, or to where it knows no further. */
  async create(path: string, key: string, start?: Body): Promise<{ attempts: Attempt[]; reply: Reply }> {
    const attempts: Attempt[] = [];
    const headers: Record<string, string> = {};
    let body = structuredClone(start);
    for (;;) {
      const sent = body && { body: JSON.stringify(body) };
      const reply = await send('POST', this.url + path, { key, headers, ...sent });
      this.remember(reply.body);
      const { code, errors, next_step: next } = reply.body.error ?? {};
      attempts.push({ status: reply.status, code });
      if (reply.status < 300 || attempts.length === MAX_ATTEMPTS) return { attempts, reply };
      if (next.method === 'GET') this.remember((await send('GET', this.url + next.path, { key })).body);
      if (next.type === 'use_new_idempotency_key') {
        headers['Idempotency-Key'] = randomUUID();
        continue;
      }
      const operation = this.document.paths[next.method === 'GET' ? path : next.path].post;
      const content = operation.requestBody.content;
      if (code === 'unsupported_media_type') [headers['content-type']] = Object.keys(content) as [string];
      if (code === 'unsupported_media_type') body ??= {};
      for (const { param, code: fault, allowed } of errors) {
        const header = operation.parameters.map(this.resolve).find(({ name }: Schema) => name === param);
        if (header) headers[param] = this.valueFor(header.schema, allowed) as string;
        else if (param === 'body') body = {};
        else {
          body ??= {};
          this.mend(body, param, { fault, allowed, schema: Object.values<Schema>(content)[0].schema });
        }
      }
    }
  }

  /** Puts what fits at the path; whatever stood there was refused. */
  private mend(body: Body, param: string, { fault, allowed, schema }: Schema): void {
    const steps = param.split(/[.[\]]+/).filter(Boolean);
    const last = steps.pop() as string;
    let [at, rules] = [body, this.resolve(schema)];
    for (const step of steps) {
      rules = this.resolve(rules.properties?.[step] ?? rules.items);
      at[step] ??= rules.type === 'array' ? [] : {};
      at = at[step] as Body;
    }
    this.refused.add(at[last]);
    if (fault === 'unknown_field') delete at[last];
    else at[last] = this.valueFor(rules.properties?.[last] ?? rules.items, allowed);
  }

  private valueFor(schema: Schema, allowed: readonly string[]): unknown {
    const { type, pattern, items, minimum = 0, minLength = 1, examples = [] } = this.resolve(schema);
    const kind = [type].flat()[0];
    if (kind === 'array') return [this.valueFor(items, [])];
    if (kind === 'object') return {};
    if (kind === 'integer') return Number(allowed[0] ?? minimum);
    const candidates = [...allowed, ...[...this.seen].reverse(), ...examples, 'x'.repeat(minLength)];
    const fits = (text: string) => !this.refused.has(text) && (!pattern || new RegExp(pattern).test(text));
    // Only where the form says what it is, like an identifier's, is a text from elsewhere an answer.
    return (pattern?.includes('_') || allowed.length > 0 ? candidates : [...examples, 'x'.repeat(minLength)]).find(
      fits,
    );
  }

  private readonly resolve = (schema: Schema): Schema => {
    if (!schema.$ref) return schema;
    const steps: string[] = schema.$ref.split('/').slice(1);
    return steps.reduce((at, step) => at[step], this.document);
  };

  private remember(value: unknown): void {
    if (typeof value === 'string') this.seen.add(value);
    if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) this.remember(each);
  }
}
