import { expect } from '@jest/globals';
import { reconcile } from '../../src/operator/cli/reconcile.js';
import type { Service } from '../kit/service.js';
import { unpaired } from './invariants.js';

/** The books of the whole database add up: what every race and fault must leave behind. */
export async function expectBalanced({ application }: Pick<Service, 'application'>): Promise<void> {
  const { checks, isBalanced } = await reconcile(application);
  expect(checks.filter(({ offenders }) => offenders.length > 0)).toEqual([]);
  expect(isBalanced).toBe(true);
}

/** And each session and refund stands in exactly one stored response, of which none has been swept. */
export async function expectAnsweredOnce(
  service: Pick<Service, 'application' | 'sql'>,
): Promise<void> {
  await expectBalanced(service);
  expect(await unpaired(service.sql)).toEqual([]);
}
