import { expect } from '@jest/globals';
import { reconcile } from '../../src/cli/reconcile.js';
import { Database } from '../../src/platform/database/database.js';
import type { Service } from './service.js';

/** The books of the whole database add up: what every race and fault must leave behind. */
export async function expectBalanced({ application }: Pick<Service, 'application'>): Promise<void> {
  const { checks, isBalanced } = await reconcile(application.get(Database));
  expect(checks.filter(({ offenders }) => offenders.length > 0)).toEqual([]);
  expect(isBalanced).toBe(true);
}
