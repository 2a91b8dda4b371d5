/**
 * Checks the imports of the named folders, each as if it were the whole repository, and writes a
 * list of dependency-cruiser's reports. One process checks all folders, because its start takes as
 * long as twenty of them.
 */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { cruise } from 'dependency-cruiser';

const { forbidden, options } = createRequire(import.meta.url)(resolve('.dependency-cruiser.cjs'));
const SOURCE = ['src', 'migrations', 'tools'];

const reports = [];
for (const folder of process.argv.slice(2).map((path) => resolve(path))) {
  process.chdir(folder);
  const paths = readdirSync('.').filter((name) => SOURCE.includes(name));
  const { output } = await cruise(paths, { ...options, validate: true, ruleSet: { forbidden } });
  reports.push(output);
}
process.stdout.write(JSON.stringify(reports));
