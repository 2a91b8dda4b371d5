/**
 * Finds changes of the description that would break clients of the released one, by the rules of
 * docs/explain/decisions/README.md.
 */

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by name, and a missing member is undefined.
type Node = any;

export function breakingChanges(released: Node, next: Node): string[] {
  const found: string[] = [];
  const from = resolved(released);
  const to = resolved(next);
  for (const [path, methods] of Object.entries<Node>(from.paths)) {
    for (const method of Object.keys(methods)) {
      const where = `${method.toUpperCase()} ${path}`;
      compareOperation(methods[method], to.paths[path]?.[method], where, found);
    }
  }
  for (const [type, { post }] of Object.entries<Node>(from.webhooks ?? {})) {
    const now = to.webhooks?.[type]?.post;
    if (now) compareContent(post.requestBody, now.requestBody, `webhook ${type}`, answer, found);
    else found.push(`webhook ${type}: removed`);
  }
  return found;
}

function compareOperation(old: Node, now: Node, where: string, found: string[]): void {
  if (!now) return void found.push(`${where}: removed`);
  if (old.operationId !== now.operationId) found.push(`${where}: another operationId`);
  for (const scheme of schemesOf(old))
    if (!schemesOf(now).includes(scheme)) found.push(`${where}: no ${scheme} any more`);
  if (schemesOf(old).length === 0 && schemesOf(now).length > 0 && !isOpen(now))
    found.push(`${where}: needs a key`);
  compareParameters(old, now, where, found);
  compareBody(old.requestBody, now.requestBody, `${where} body`, found);
  for (const [status, response] of Object.entries<Node>(old.responses)) {
    const at = `${where} ${status}`;
    const answered = now.responses[status];
    if (!answered) found.push(`${at}: removed`);
    else compareAnswer(response, answered, at, found);
  }
}

const schemesOf = ({ security = [] }: Node): string[] => security.flatMap(Object.keys);

function compareParameters(old: Node, now: Node, where: string, found: string[]): void {
  const byName = ({ parameters = [] }: Node) =>
    new Map<string, Node>(parameters.map((one: Node) => [`${one.in} ${one.name}`, one]));
  const before = byName(old);
  const after = byName(now);
  for (const [name, parameter] of before) {
    const kept = after.get(name);
    if (kept) request(parameter.schema, kept.schema, `${where} ${name}`, found);
    else found.push(`${where} ${name}: removed`);
  }
  for (const [name, { required }] of after) {
    if (required && !before.get(name)?.required) found.push(`${where} ${name}: newly required`);
  }
}

function compareBody(old: Node, now: Node, where: string, found: string[]): void {
  if (now?.required && !old?.required) found.push(`${where}: newly required`);
  if (old) compareContent(old, now, where, request, found);
}

function compareAnswer(old: Node, now: Node, where: string, found: string[]): void {
  for (const [name, { required }] of Object.entries<Node>(old.headers ?? {})) {
    if (required && !now.headers?.[name]?.required)
      found.push(`${where} ${name}: not always there`);
  }
  compareContent(old, now, where, answer, found);
}

type Comparison = (old: Node, now: Node, where: string, found: string[]) => void;

function compareContent(
  old: Node,
  now: Node,
  where: string,
  compare: Comparison,
  found: string[],
): void {
  for (const [type, { schema }] of Object.entries<Node>(old.content ?? {})) {
    const kept = now?.content?.[type];
    if (kept) compare(schema, kept.schema, where, found);
    else found.push(`${where}: no ${type} any more`);
  }
}

const LOWER_BOUNDS = ['minimum', 'minLength', 'minItems', 'minProperties'];
const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];

/** Requests of clients must stay valid, and must mean the same. */
function request(old: Node, now: Node, where: string, found: string[]): void {
  const note = (what: string) => found.push(`${where}: ${what}`);
  if (!typesOf(old).every((type) => typesOf(now).includes(type))) note('another type');
  const bounds = [
    ...LOWER_BOUNDS.map((name) => [name, -1] as const),
    ...UPPER_BOUNDS.map((name) => [name, 1] as const),
  ];
  for (const [name, sign] of bounds) {
    if (
      now[name] !== undefined &&
      !(old[name] !== undefined && sign * now[name] >= sign * old[name])
    )
      note(`narrower ${name}`);
  }
  const values = choicesOf(now);
  if (values && !choicesOf(old)?.every((value) => values.includes(value))) note('fewer values');
  if (now.pattern !== undefined && !patternsOf(old).every((one) => patternsOf(now).includes(one)))
    note('another pattern');
  if (JSON.stringify(now.default) !== JSON.stringify(old.default)) note('another default');
  if (now.additionalProperties === false && old.additionalProperties !== false)
    note('no other fields any more');
  for (const name of now.required ?? [])
    if (!old.required?.includes(name)) found.push(`${where}.${name}: newly required`);
  descend(old, now, where, request, found);
}

/** Answers must keep everything that clients read. New fields and new values may appear. */
function answer(old: Node, now: Node, where: string, found: string[]): void {
  if (!typesOf(now).every((type) => typesOf(old).includes(type)))
    found.push(`${where}: another type`);
  if (old.const !== undefined && old.const !== now.const) found.push(`${where}: another value`);
  for (const name of old.required ?? []) {
    if (!now.required?.includes(name)) found.push(`${where}.${name}: not always there`);
  }
  descend(old, now, where, answer, found);
}

function descend(old: Node, now: Node, where: string, compare: Comparison, found: string[]): void {
  // Code that was made from the released description may keep 64 bits.
  if (old.format === 'int64' && now.format !== 'int64') found.push(`${where}: fewer bits`);
  for (const [name, field] of Object.entries<Node>(old.properties ?? {})) {
    const kept = now.properties?.[name];
    if (kept) compare(field, kept, `${where}.${name}`, found);
    else found.push(`${where}.${name}: removed`);
  }
  for (const part of ['items', 'propertyNames', 'additionalProperties']) {
    if (isSchema(now[part]))
      compare(isSchema(old[part]) ? old[part] : {}, now[part], `${where}[]`, found);
  }
  for (const part of ['allOf', 'oneOf']) {
    (old[part] ?? []).forEach((schema: Node, at: number) => {
      const kept = now[part]?.find((one: Node) => isOf(schema, one)) ?? now[part]?.[at];
      if (kept) compare(schema, kept, where, found);
      else found.push(`${where}: ${part} ${at} removed`);
    });
  }
}

/**
 * Alternatives have no order. Two alternatives are the same resource if they have the same
 * `object`.
 */
const isOf = (one: Node, other: Node): boolean =>
  one.properties?.object?.const !== undefined &&
  one.properties.object.const === other.properties?.object?.const;
const isSchema = (value: Node): boolean => typeof value === 'object' && value !== null;
const choicesOf = (schema: Node): Node[] | undefined =>
  schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
/** A schema without a type allows any type. */
const ANY = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
/**
 * In a pattern, `\/` is a slash. A pattern of whole identifiers, `^a$|^b$`, takes more when it has
 * one more of them.
 */
const patternsOf = ({ pattern }: Node): string[] =>
  pattern
    ?.replaceAll(/\\(.)/g, (escaped: string, of: string) => (of === '/' ? of : escaped))
    .split(/(?<=\$)\|(?=\^)/) ?? ANY_TEXT;
const ANY_TEXT = ['.*'];
const typesOf = ({ type, anyOf }: Node): string[] =>
  anyOf?.flatMap(typesOf) ?? (type === undefined ? ANY : [type].flat());

/** Returns the document with every reference replaced by what it refers to. */
function resolved(document: Node, node: Node = document): Node {
  if (Array.isArray(node)) return node.map((item) => resolved(document, item));
  if (!isSchema(node)) return node;
  if (typeof node.$ref === 'string') {
    const { $ref, ...beside } = node;
    const target = $ref
      .slice(2)
      .split('/')
      .reduce((at: Node, step: string) => at[step], document);
    return { ...resolved(document, target), ...resolved(document, beside) };
  }
  const parts = Object.entries(node).filter(([name]) => name !== 'examples');
  return Object.fromEntries(parts.map(([name, value]) => [name, resolved(document, value)]));
}

/** Tells whether the operation can also be called without a key. */
const isOpen = (operation: Node): boolean =>
  operation.security.some((requirement: object) => Object.keys(requirement).length === 0);
