/** Makes the statements that forget personal data from what the modules declare of them. */
import type {
  Declarations,
  JsonColumn,
  OwnedIds,
  PersonalData,
} from '../platform/module-declaration.js';
import { type NamedStatement, type Places, statement } from './statement.js';

interface Owned {
  readonly organization: string;
  readonly mode: string;
}

interface OfResources extends Owned {
  readonly ids: readonly string[];
}

interface PageOfResources extends OfResources {
  readonly after: string;
  /** A null limit stands for all of them. */
  readonly limit: number | null;
}

interface Changed extends Owned {
  readonly places: readonly string[];
  readonly texts: readonly string[];
}

const STEPS = ['kept', 'clear', 'remove', 'unfinished'] as const;
export type Step = (typeof STEPS)[number];

/** This is a kind of resource, with the statements of one module that forgets it. */
export interface ForgottenKind {
  readonly object: string;
  readonly of: string | undefined;
  readonly belonging: NamedStatement<PageOfResources> | undefined;
  readonly steps: { readonly [Name in Step]?: NamedStatement<OfResources> };
}

export interface ClearedColumn {
  readonly root: string;
  readonly find: NamedStatement<PageOfResources>;
  readonly store: NamedStatement<Changed>;
}

const own = ({ organization, mode }: Places<Owned>): string =>
  `organization_id = ${organization} AND mode = ${mode}`;

/** The last module comes first, because others build on the tables of the first ones. */
export function ofDeclarations({ personalData }: Pick<Declarations, 'personalData'>) {
  const declared = personalData.toReversed();
  return {
    kinds: declared.map(kindOf),
    columns: declared.flatMap(({ json = [] }) => json).map(columnOf),
  };
}

/** Several modules may declare one kind, so a name ends with the number of its declaration. */
function kindOf(
  { object, of, belonging, ...data }: PersonalData,
  place: number,
  all: readonly PersonalData[],
): ForgottenKind {
  const number = all.slice(0, place + 1).filter((other) => other.object === object).length;
  const nameOf = (step: string) => `personal_data.${step} ${object} ${number}`;
  const made = STEPS.map((step) => {
    const write = data[step] as ((these: OwnedIds) => string) | undefined;
    return [step, write && statement<OfResources>(nameOf(step), write)] as const;
  });
  return {
    object,
    of,
    belonging: belonging && belongingOf(nameOf('belonging'), belonging),
    steps: Object.fromEntries(made),
  };
}

/**
 * Selects a page of those that belong to others, in their order. Each of the others is looked up by
 * itself, so that a page reads no more than its length of one that has very many.
 */
function belongingOf(
  name: string,
  { table, column }: NonNullable<PersonalData['belonging']>,
): NamedStatement<PageOfResources> {
  return statement(
    name,
    (page) => `SELECT found.id FROM unnest(${page.ids}::uuid[]) AS wanted (id)
      CROSS JOIN LATERAL (
        SELECT id FROM ${table} WHERE ${own(page)} AND ${column} = wanted.id
          AND id > ${page.after} ORDER BY id LIMIT ${page.limit}
      ) AS found
      ORDER BY id LIMIT ${page.limit}`,
  );
}

function columnOf({ table, column, about, key, root = '' }: JsonColumn): ClearedColumn {
  const nameOf = (step: string) => `personal_data.${step} ${table} ${column}`;
  const ordered = `(${key}) COLLATE "C"`;
  return {
    root,
    find: statement(
      nameOf('find'),
      (page) => `SELECT ctid::text AS place, ${key} AS key, ${column} AS json FROM ${table}
        WHERE ${own(page)} AND ${about} = ANY (${page.ids}::uuid[])
          AND ${column} LIKE '{%' AND ${ordered} > ${page.after}
        ORDER BY ${ordered} LIMIT ${page.limit} FOR NO KEY UPDATE`,
    ),
    store: statement<Changed>(
      nameOf('store'),
      (changed) => `UPDATE ${table} SET ${column} = cleared.json
        FROM unnest(${changed.places}::tid[], ${changed.texts}::text[]) AS cleared (place, json)
        WHERE ${own(changed)} AND ctid = ANY (${changed.places}::tid[]) AND ctid = cleared.place`,
    ),
  };
}
