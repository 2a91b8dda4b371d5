import { AsyncLocalStorage } from 'node:async_hooks';
import type { Facts } from '../platform/facts.js';
import type { IdKind } from '../shared/id.js';

/** A value, or what it is in an application, by what the modules of this one declare. */
export type OfFacts<Value> = Value | ((facts: Facts) => Value);
export type Texts = OfFacts<readonly string[]>;
export type Kinds = OfFacts<readonly IdKind[]>;

/** The application that a request was sent to. class-validator tells a rule the value and its object only. */
export const application = new AsyncLocalStorage<Facts>();

export function resolved<Value>(value: OfFacts<Value>): Value {
  return value instanceof Function ? value(application.getStore() as Facts) : value;
}
