/**
 * The rules of docs/operate/deploying.md: its commands, units of systemd and settings are right.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { normalize } from 'node:path';
import { readConfig } from '../../src/platform/config.js';

const FIRST_LIMIT = 'NoNewPrivileges=yes';
const read = (path: string) => readFileSync(path, 'utf8');
const GUIDE = read('docs/operate/deploying.md');
const DOCKERFILE = read('docker/Dockerfile');
const { scripts, bin, engines } = JSON.parse(read('package.json'));

/** Holds the settings of each unit in the guide, in their order. */
const [MIGRATE = [], SERVE = []] = [...GUIDE.matchAll(/```ini\n(.*?)```/gs)].map(([, unit = '']) =>
  unit.split('\n').filter((line) => /^[A-Z]\w+=/.test(line)),
);

function start(): void {
  const command = scripts.start.replace('exec ', '');
  assert.match(command, /^node .* dist\/bundle\/main\.js$/);
  assert(GUIDE.split('\n').includes(command), `The guide does not have: ${command}`);
  assert(SERVE.includes(`ExecStart=/usr/bin/${command}`), 'The unit starts something else.');
  const [, words = '[]'] = /^CMD (.*)$/m.exec(DOCKERFILE) ?? [];
  assert.equal(JSON.parse(words).join(' '), command);
}

function credentials(): void {
  const database = (unit: readonly string[]) =>
    unit.find((line) => line.startsWith('LoadCredential=database_url:'))?.split(':')[1];
  assert.equal(database(MIGRATE), '/etc/tillgate/owner_database_url');
  assert.equal(database(SERVE), '/etc/tillgate/database_url');
  for (const unit of [MIGRATE, SERVE]) {
    assert(unit.includes('EnvironmentFile=/etc/tillgate.env'));
    const named = unit.join('\n').matchAll(/_FILE=%d\/(\w+)/g);
    const loaded = unit.filter((line) => line.startsWith('LoadCredential='));
    assert.deepEqual(
      loaded.map((line) => line.split(/[=:]/)[1]),
      [...named].map(([, name]) => name),
    );
  }
  const urls = [...GUIDE.matchAll(/database_url +(postgres:\S+)$/gm)].map(([, url]) => `${url}`);
  const roles = urls.map((url) => new URL(url).username);
  assert.deepEqual(roles, ['tillgate', 'tillgate_owner']);
}

function order(): void {
  const migration = 'dist/bundle/cli.js migrate --service-role tillgate';
  assert(MIGRATE.includes(`ExecStart=/usr/bin/node ${migration}`));
  assert(SERVE.includes('Requires=tillgate-migrate.service'));
  assert.match(SERVE.join('\n'), /^After=.* tillgate-migrate\.service$/m);
  assert.doesNotMatch(SERVE.join('\n'), /migrate --/);
}

function limits(): void {
  const [migrate, serve] = [MIGRATE, SERVE].map((unit) => unit.slice(unit.indexOf(FIRST_LIMIT)));
  assert(migrate !== undefined && migrate.length > 20, 'The units have no limits.');
  assert.deepEqual(serve?.slice(0, migrate.length), migrate);
  assert(migrate.includes('SystemCallFilter=~@privileged @resources'));
}

function settings(): void {
  const named = [...GUIDE.matchAll(/^([A-Z_]+)=([^\s…]+)$/gm)].map(
    ([, name, value]) => [`${name}`, `${value}`] as const,
  );
  assert(named.length > 3, 'The guide has no settings.');
  const reference = read('docs/reference/settings.md');
  const unknown = named.filter(([name]) => !reference.includes(`\`${name}\``));
  assert.deepEqual(unknown, []);
  readConfig(Object.fromEntries(named));
}

function versions(): void {
  const [, oldest, current] = /^\^(\d\d\.\d\d)\.0 \|\| >=(\d\d\.\d\d)\.0$/.exec(engines.node) ?? [];
  assert(oldest && current, `The package names other versions: ${engines.node}`);
  const sentence = `Node ${oldest}, ${current} or newer`;
  for (const page of ['README.md', 'docs/start/quick-start.md', 'docs/operate/deploying.md'])
    assert(read(page).replaceAll('\n', ' ').includes(sentence), `${page}: ${sentence}`);
  const [, image] = /^FROM node:(\d+)/m.exec(DOCKERFILE) ?? [];
  assert(Number(image) >= Number.parseInt(current, 10), `The image has Node ${image}.`);
}

function drill(): void {
  const guide = read('docs/guides/connect-your-ledger.md');
  const [, script] = /^npm run --silent (\S+) -- drill -- node /m.exec(guide) ?? [];
  assert.match(scripts[`pre${script}`] ?? '', /node tools\/build-if-changed\.js$/);
}

export const DEPLOYING_RULES: Readonly<Record<string, () => void>> = {
  'npm start, the guide, its unit and the image start the same program with the same options':
    start,
  'one unit has the role of the owner, and the other one the role of the service': credentials,
  'one unit migrates before the other one serves': order,
  'both units have the same limits of systemd': limits,
  'the settings in the guide exist, and accept the values in it': settings,
  'the guide names the command line of the package': () => {
    const named = [...GUIDE.matchAll(/dist\/bundle\/(?!main)\S+\.js/g)].map(([path]) => path);
    assert.deepEqual(new Set(named), new Set([normalize(bin.tillgate)]));
  },
  'the guide runs the drill by a script that builds a checkout first': drill,
  'the documents and the image have the versions of Node that the package names': versions,
};
