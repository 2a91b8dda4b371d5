/** The number and the licenses of the packages that run in production, and the integrity of all that are locked. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/** Licenses that only require keeping a notice. */
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
/** The current numbers. Adding a package is a decision, and removing one lowers them. */
const MOST_DIRECT = 20;
const MOST = 129;
/** npm writes no integrity for a package that it cannot fetch. Lock on each platform to lower it. */
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

test('there are no more packages than there were', () => {
  expect(Object.keys(read('package.json').dependencies).length).toBeLessThanOrEqual(MOST_DIRECT);
  expect(needed.length).toBeGreaterThan(100);
  expect(needed.length).toBeLessThanOrEqual(MOST);
});

test('each has a license that allows any use', () => {
  const licenses = needed.map((path) => [path, read(`${path}/package.json`).license] as const);
  expect(licenses.filter(([, license]) => !LICENSES.includes(license))).toEqual([]);
});

test('each locked package is known by its contents, but development tools for platforms that locked nothing', () => {
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

test('no locked package names the place where it was found', () => {
  expect(
    packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
  ).toEqual([]);
});
