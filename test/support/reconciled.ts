import { expect } from '@jest/globals';
import { reconcile } from '../../src/operator/cli/reconcile.js';
import type { Service } from '../kit/service.js';
import { unpaired } from './invariants.js';

/**
 * Expects that the books of the whole database balance, as they must after every race and fault.
 */
export async function expectBalanced({ application }: Pick<Service, 'application'>): Promise<void> {
  const { checks, isBalanced } = await reconcile(application);
  expect(checks.filter(({ offenders }) => offenders.length > 0)).toEqual([]);
  expect(isBalanced).toBe(true);
}

/**
 * Expects too that each session and refund stands in exactly one stored response. No response may
 * have been swept before.
 */
export async function expectAnsweredOnce(
  service: Pick<Service, 'application' | 'sql'>,
): Promise<void> {
  await expectBalanced(service);
  expect(await unpaired(service.sql)).toEqual([]);
}
