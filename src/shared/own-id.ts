import type { Caller, Ledger, Mode } from './caller.js';
import { notFound } from './errors.js';
import { modeOf, prefixOf } from './id.js';

declare const OWN: unique symbol;

/**
 * An ID whose mode is the caller's. Only this file makes one, so that code which forgets to compare
 * the modes does not compile: a test key cannot touch live money by an omission.
 */
export type OwnId = string & { readonly [OWN]: true };

const hasMode = (id: string, mode: Mode): id is OwnId => modeOf(id) === mode;

/** Refuses an ID of the other mode with not_found on `param`, the parameter that held it. */
export function ownId({ mode }: Ledger, id: string, param = 'id'): OwnId {
  if (!hasMode(id, mode)) throw notFound(param, mode);
  return id;
}

/**
 * Serves a read by ID, which may return a resource of either mode: returns the caller in the mode
 * of the ID.
 */
export function inModeOf(id: string, { organization }: Caller): readonly [Caller, OwnId] {
  return [{ organization, mode: modeOf(id) }, id as OwnId];
}

/** Serves the filter of a list: an ID of the other mode becomes one that no resource has. */
export function filterId({ mode }: Ledger, id: string | undefined): OwnId | undefined {
  if (id === undefined || hasMode(id, mode)) return id;
  return `${prefixOf(id)}_${mode}_${'0'.repeat(26)}` as OwnId;
}
