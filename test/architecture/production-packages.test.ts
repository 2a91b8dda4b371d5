/**
 * The packages of production are few and have free licenses, and every locked package has a
 * checksum.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/** These licenses only require that a notice is kept. */
const LICENSES = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
];
/** These are the current numbers. A new package is a decision, and a removed one lowers them. */
const MOST_DIRECT = 15;
const MOST = 123;
/**
 * npm writes no checksum of a package that it cannot fetch. To lower this number, lock on each
 * platform.
 */
const MOST_UNVERIFIED = 48;

interface Package {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly os?: readonly string[];
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const packages = Object.entries(read('package-lock.json').packages as Record<string, Package>);
const inProduction = packages.filter(([path, { dev }]) => path !== '' && !dev);
const needed = inProduction
  .filter(([, { optional, devOptional }]) => !optional && !devOptional)
  .map(([path]) => path);

test('production has no more packages than these numbers', () => {
  expect(Object.keys(read('package.json').dependencies).length).toBeLessThanOrEqual(MOST_DIRECT);
  expect(needed.length).toBeGreaterThan(100);
  expect(needed.length).toBeLessThanOrEqual(MOST);
});

test('each package of production has a license that allows any use', () => {
  const licenses = needed.map((path) => [path, read(`${path}/package.json`).license] as const);
  expect(licenses.filter(([, license]) => !LICENSES.includes(license))).toEqual([]);
});

test('each locked package has a checksum, except development tools of other platforms', () => {
  const unverified = packages.filter(
    ([path, { integrity }]) => path !== '' && !integrity?.startsWith('sha512-'),
  );
  expect(
    unverified
      .filter(([, { dev, optional, os }]) => !(dev && optional && os))
      .map(([path]) => path),
  ).toEqual([]);
  expect(unverified.length).toBeLessThanOrEqual(MOST_UNVERIFIED);
});

test('no locked package names the registry that it came from', () => {
  expect(
    packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
  ).toEqual([]);
});
