/**
 * This program writes each statement, as PostgreSQL prepares it, to docs/sql/<module>.sql,
 * or to the directory of its argument. `npm run generate` runs it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collect } from './collect.js';
import { formatted } from './format.js';

const directory = process.argv[2] ?? 'docs/sql';
const { statements } = await collect();
const named = [...statements].filter(([, { isNamed }]) => isNamed);
const folders = Map.groupBy(named, ([, { folder }]) => folder);
rmSync(directory, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });
for (const [folder, all] of folders) {
  const texts = all
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { text }]) => `-- ${name}\n${formatted(text)};\n`);
  writeFileSync(join(directory, `${folder}.sql`), texts.join('\n'));
}
