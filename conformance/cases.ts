/** Reads the files of the cases, which conformance/case.schema.json describes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolve, type Values } from './placeholders.js';

export type Role = 'merchant' | 'ledger' | 'operator' | 'proposer' | 'approver' | 'nobody';

export interface RequestOfCase {
  readonly method: string;
  readonly path: string;
  readonly as?: Role;
  /** A null header is not sent, even if it has a default. */
  readonly headers?: Readonly<Record<string, string | string[] | null>>;
  readonly body?: unknown;
  /** These values are set at their places of the body. */
  readonly set?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly base64?: string;
  /** If it is set, the step follows next_cursor to the last page. */
  readonly walk?: boolean;
}

export interface ExpectedError {
  readonly code: string;
  readonly param?: string;
  readonly errors?: readonly {
    readonly param: string;
    readonly code?: string;
    readonly allowed?: unknown;
  }[];
  readonly next_step?: Readonly<Record<string, unknown>>;
}

export interface Expectation {
  readonly status: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly error?: ExpectedError;
}

export interface Step {
  readonly request: RequestOfCase;
  readonly expect: Expectation;
  readonly capture?: Readonly<Record<string, string>>;
  readonly times?: number;
}

export interface Case {
  readonly name: string;
  readonly source: string;
  readonly needs?: 'ledger' | 'operator' | 'sandbox' | 'approval';
  /** The case changes resources of other cases, so it runs alone. */
  readonly alone?: true;
  readonly steps: readonly Step[];
  /** Holds the values of the placeholders before the first step. */
  readonly values: Values;
}

export interface Topic {
  readonly name: string;
  readonly title: string;
  readonly cases: readonly Case[];
}

interface CaseFile {
  readonly title: string;
  readonly values?: Values;
  readonly cases: readonly (Omit<Case, 'values'> & { readonly each?: readonly Values[] })[];
}

export function readTopics(folder: string): Topic[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => {
    const {
      title,
      values = {},
      cases,
    } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CaseFile;
    return {
      name: file.replace(/\.json$/, ''),
      title,
      cases: cases.flatMap((one) => rowsOf(one, values)),
    };
  });
}

/** Makes one case of each row of `each`. The name of the case contains values of the row. */
function rowsOf({ each = [{}], ...one }: CaseFile['cases'][number], values: Values): Case[] {
  return each.map((row) => ({
    ...one,
    name: String(resolve(one.name, row)),
    values: { ...values, ...row },
  }));
}
