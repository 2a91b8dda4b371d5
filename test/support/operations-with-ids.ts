/** The description of the API says which operations take the IDs of resources, and where. */
import { DOCUMENT } from './document.js';

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by name, and a missing member is undefined.
type Node = any;

export const ID = /^([a-z]+)_(?:test_|live_)?[0-9a-hjkmnp-tv-z]{26}$/;
/** A cursor is only a point in a list, and an organization does not belong to a tenant. */
const isNoResource = ({ name, kind }: Place) => name === 'cursor' || kind === 'org';

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly isLedger: boolean;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly places: readonly Place[];
}

/** A place takes an identifier of one kind; `unknown` is an identifier that nobody has. */
export interface Place {
  readonly in: 'path' | 'query' | 'body';
  readonly name: string;
  readonly kind: string;
  readonly unknown: string;
}

export type Ids = Readonly<Record<string, string>>;

const resolved = (node: Node): Node =>
  node?.$ref === undefined
    ? node
    : node.$ref
        .slice(2)
        .split('/')
        .reduce((at: Node, name: string) => at[name], DOCUMENT);

/** The operator's paths are left out, because an operator key acts on every organization. */
const PATHS = Object.entries<Node>(DOCUMENT.paths).filter(
  ([path]) => !path.startsWith('/operator/'),
);
export const OPERATIONS: readonly Operation[] = PATHS.flatMap(([path, methods]) =>
  Object.entries<Node>(methods).map(([method, { parameters, requestBody }]) => {
    const { schema, examples = {} } = requestBody?.content['application/json'] ?? {};
    const fields = Object.entries<Node>(resolved(schema)?.properties ?? {});
    const given = [
      ...parameters,
      ...fields.map(([name, field]) => ({ in: 'body', name, schema: resolved(field) })),
    ];
    const places = given.flatMap(({ in: where, name, schema: { examples: [unknown] = [] } }) => {
      const kind = ID.exec(unknown)?.[1];
      return kind ? [{ in: where, name, kind, unknown }] : [];
    });
    const [body = requestBody && {}] = Object.values<Node>(examples).map(({ value }) => value);
    return {
      method: method.toUpperCase(),
      path,
      isLedger: path.startsWith('/ledger/'),
      body,
      places,
    };
  }),
);

export const CASES = OPERATIONS.flatMap((operation) =>
  operation.places
    .filter((place) => !isNoResource(place))
    .map((place) => ({
      operation,
      place,
      method: operation.method,
      named: `${operation.method} ${operation.path}: ${place.name}`,
    })),
);

export const isOfApi = ({ path }: Operation) => /^\/(ledger\/)?v1\//.test(path);

/** Deletions come last, because other cases need the resources. */
export function deletedLast<Case extends { readonly method: string }>(
  cases: readonly Case[],
): Case[] {
  return cases.toSorted(
    (one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'),
  );
}
