/**
 * Makes the example of a response or webhook from the examples of its schema's fields: the first of
 * several, or null for a field that may be null. An operation can replace values of it.
 */
export type Json = Readonly<Record<string, unknown>>;

/**
 * `difference` has values that replace values of the schema's examples. In a list, they replace
 * values of each entry.
 */
export function exampleOf(
  schema: Json,
  schemas: Readonly<Record<string, Json>>,
  difference?: Json,
): unknown {
  const example = shown(schema, schemas);
  return difference ? differing(example, difference) : example;
}

interface Parts {
  readonly $ref?: string;
  readonly allOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly anyOf?: readonly Json[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly items?: Json;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
}

function shown(schema: Json, schemas: Readonly<Record<string, Json>>): unknown {
  const {
    $ref,
    allOf,
    oneOf,
    anyOf,
    properties,
    items,
    type,
    enum: values,
    examples,
  } = schema as Parts;
  const inside = (part: Json) => shown(part, schemas);
  if ($ref !== undefined) return inside(schemas[$ref.slice($ref.lastIndexOf('/') + 1)] as Json);
  if (allOf) return allOf.map(inside).reduce((whole, part) => differing(whole, part as Json));
  if (oneOf) return inside(oneOf.at(-1) as Json);
  if ('const' in schema) return schema.const;
  if (examples) return examples[0];
  if (type?.includes('null') || anyOf?.some((part) => part.type === 'null')) return null;
  if (properties)
    return Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, inside(part)]),
    );
  if (values) return values[0];
  if (items) return [inside(items)];
  return type === 'object' ? {} : undefined;
}

function differing(value: unknown, difference: unknown): unknown {
  if (!isObject(value) || !isObject(difference) || isOther(value, difference)) return difference;
  const { object, data, items } = value;
  if (object === 'list' && Array.isArray(data) && !('data' in difference)) {
    const entries = data.map((entry) => differing(entry, difference));
    return { ...value, data: entries, ...(items !== undefined && { items: entries }) };
  }
  const changed = Object.entries(difference).map(([name, part]) => [
    name,
    differing(value[name], part),
  ]);
  return { ...value, ...Object.fromEntries(changed) };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOther = (value: Json, { object }: Json): boolean =>
  typeof object === 'string' && object !== value.object;
