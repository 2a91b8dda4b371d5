/** Values for the places that a JSON Schema describes: right ones, mostly at its bounds. What breaks them is elsewhere. */
import fc, { type Arbitrary } from 'fast-check';

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by name; what is not there is undefined.
export type Node = any;

/** Identifiers of what exists, by their prefix: the caller's own and foreign ones. */
export type Ids = Readonly<Record<string, readonly string[]>>;

/** Longer ones are made on purpose, not in passing. */
const LONG = 300;
const FEW = 3;

export class Values {
  constructor(
    private readonly document: Node,
    private readonly ids: Ids,
  ) {}

  /** Values that the schema accepts; identifiers are those of what exists. */
  of(described: Node): Arbitrary<unknown> {
    const schema = this.follow(described);
    if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type: string) => this.of({ ...schema, type })));
    if (schema.type === 'null') return fc.constant(null);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.examples) return fc.constantFrom(...(this.ids[prefixOf(schema.examples[0])] ?? schema.examples));
    if (schema.type === 'integer') return fc.integer({ min: schema.minimum, max: schema.maximum });
    if (schema.type === 'array') return this.array(schema);
    if (schema.properties) return this.object(schema);
    if (schema.type === 'object') return fc.dictionary(fc.string({ minLength: 1, maxLength: 40 }), fc.string());
    const { minLength = 0, maxLength = LONG } = schema;
    return fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, LONG) });
  }

  follow(node: Node): Node {
    if (typeof node?.$ref !== 'string') return node;
    const steps: string[] = node.$ref.slice(2).split('/');
    return this.follow(steps.reduce((inside, step) => inside[step], this.document));
  }

  private array({ items, minItems = 0, maxItems = FEW }: Node): Arbitrary<unknown> {
    const few = fc.array(this.of(items), { minLength: minItems, maxLength: Math.min(maxItems, FEW) });
    const all = fc.array(this.of(items), { minLength: maxItems, maxLength: maxItems });
    return fc.oneof({ weight: 20, arbitrary: few }, { weight: 1, arbitrary: all });
  }

  /** Mostly only what is required: of the rest, amounts that contradict each other are refused before anything else is. */
  private object({ properties, required = [] }: Node): Arbitrary<unknown> {
    const model = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, this.of(field)]));
    const least = Object.fromEntries(Object.entries(model).filter(([name]) => required.includes(name)));
    const full = fc.record(model, { requiredKeys: required });
    return fc.oneof({ weight: 2, arbitrary: fc.record(least) }, { weight: 1, arbitrary: full });
  }
}

function prefixOf(example: unknown): string {
  return /^[a-z]+(?=_)/.exec(String(example))?.[0] ?? '';
}
