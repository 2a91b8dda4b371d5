/**
 * These rules are about the image, the two Compose files, and the servers beside Tillgate in them.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { assertPrograms, assertSettings } from './settings.js';

interface Container {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly logging?: object;
}

interface Composed {
  readonly services: Readonly<Record<string, Container>>;
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
}

const read = (path: string) => readFileSync(path, 'utf8');
const composed = (file: string): Composed => parse(read(join('docker', file)), { merge: true });

const FILES = ['compose.yaml', 'compose.production.yaml'];
const PRODUCTION = composed('compose.production.yaml').services;
const ROLES = read('docker/postgres/roles.sql');
const SECRETS = '/run/secrets/';

const ownOf = (file: string) =>
  Object.values(composed(file).services).filter(({ image }) => image === 'tillgate');

/** Reads a setting, which may be in the file of a secret. */
function settingOf({ environment = {} }: Container, name: string): string {
  const file = environment[`${name}_FILE`]?.replace(SECRETS, 'docker/secrets/');
  return (file ? read(file).replace(/\n$/, '') : environment[name]) ?? '';
}

function containersOfTillgate(): void {
  for (const { read_only, command, environment = {} } of FILES.flatMap(ownOf)) {
    assert.equal(read_only, true);
    assertPrograms(command);
    assertSettings(environment);
  }
}

function limits(): void {
  const logging = { driver: 'local', options: { 'max-size': '20m', 'max-file': '5' } };
  for (const file of FILES)
    for (const [name, container] of Object.entries(composed(file).services)) {
      assert.deepEqual(container.cap_drop, ['ALL'], name);
      assert.deepEqual(container.security_opt, ['no-new-privileges:true'], name);
      assert.deepEqual(container.logging, logging, name);
      assert.match(container.mem_limit ?? '', /^\d+[mg]$/, name);
    }
}

function roles(): void {
  for (const file of FILES) {
    const own = ownOf(file);
    const urls = own.map((container) => new URL(settingOf(container, 'DATABASE_URL')));
    const [migrating, ...serving] = urls.map(({ username }) => username);
    assert.equal(migrating, 'tillgate_owner');
    assert.deepEqual(new Set(serving), new Set(['tillgate']));
    for (const { password } of urls) assert(ROLES.includes(`PASSWORD '${password}'`), file);
    const { volumes = [] } = composed(file).services.postgres as Container;
    assert(volumes.includes('./postgres:/docker-entrypoint-initdb.d:ro'), file);
  }
}

function secrets(): void {
  for (const file of FILES) {
    const { services, secrets: files = {} } = composed(file);
    for (const [name, secret] of Object.entries(files)) {
      assert.equal(secret.file, `secrets/${name}`);
      assert(existsSync(join('docker', secret.file)), `${secret.file} is missing.`);
    }
    for (const { environment = {}, secrets: granted = [] } of Object.values(services)) {
      const named = Object.values(environment).filter((value) => `${value}`.startsWith(SECRETS));
      for (const path of named) assert(granted.includes(path.slice(SECRETS.length)), path);
      for (const name of granted) assert(name in files, `${name} is no secret of ${file}.`);
    }
  }
}

function mounts(): void {
  for (const file of FILES) {
    const volumes = Object.values(composed(file).services).flatMap(({ volumes = [] }) => volumes);
    const sources = volumes.map((volume) => `${volume.split(':')[0]}`);
    for (const source of sources.filter((path) => path.startsWith('.')))
      assert(existsSync(join('docker', source)), `${source} is missing.`);
  }
}

const sqlOf = (page: string) =>
  [...read(page).matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql);

function documentedRoles(): void {
  const statements = ROLES.split('\n').filter(
    (line) => /^[A-Z]+ /.test(line) && !line.startsWith('SET '),
  );
  const [make = '', grant = ''] = sqlOf('docs/operate/postgresql.md');
  const documented = make + sqlOf('docs/operate/pgbouncer.md').join('') + grant;
  const withoutPassword = (line: string) =>
    line.replace(/'[\w-]+'(?=;$)/, (text) => (/PASSWORD/.test(line) ? '' : text));
  assert.deepEqual(
    statements.map(withoutPassword),
    documented.trim().split('\n').map(withoutPassword),
  );
}

function pgbouncer(): void {
  const settingsIn = (text: string) =>
    text.match(/^(?!tillgate|listen|auth|max_client)\w+ = .*$/gm)?.toSorted();
  const [, documented = ''] = /```ini\n(.*?)```/s.exec(read('docs/operate/pgbouncer.md')) ?? [];
  const settings = settingsIn(read('docker/pgbouncer/pgbouncer.ini'));
  assert(settings !== undefined, 'pgbouncer.ini has no settings.');
  assert.deepEqual(settings, settingsIn(documented));
}

function alerts(): void {
  const { alerting } = parse(read('docker/prometheus/prometheus.yml'));
  assert.deepEqual(alerting.alertmanagers[0].static_configs[0].targets, ['alertmanager:9093']);
  const { volumes = [] } = PRODUCTION.alertmanager as Container;
  assert(volumes.includes('./alertmanager:/etc/alertmanager:ro'));
  const { route, receivers } = parse(read('docker/alertmanager/alertmanager.yml'));
  assert.deepEqual(
    receivers.map(({ name }: { name: string }) => name),
    ['page', 'ticket'],
  );
  const [first] = route.routes;
  assert.deepEqual([route.receiver, first.receiver], ['ticket', 'page']);
  assert.deepEqual(first.matchers, ['severity="page"']);
}

function instances(): void {
  const names = Object.keys(PRODUCTION).filter((name) => /^tillgate-\d$/.test(name));
  const addresses = names.map((name) => `${name}:3000`);
  const upstream = read('docker/nginx/nginx.conf').matchAll(/server (tillgate\S+);/g);
  assert.deepEqual(
    [...upstream].map(([, address]) => address),
    addresses,
  );
  const [{ static_configs, authorization }] = parse(
    read('docker/prometheus/prometheus.yml'),
  ).scrape_configs;
  assert.deepEqual(static_configs[0].targets, addresses);
  const files = names.map((name) => PRODUCTION[name]?.environment?.METRICS_TOKEN_FILE);
  assert.deepEqual(new Set(files), new Set([authorization.credentials_file]));
  assert.deepEqual(PRODUCTION.prometheus?.secrets, ['metrics_token']);
}

function hiddenPaths(): void {
  const [, refused] =
    /location ~ (\S+) \{\s+return 404;/.exec(read('docker/nginx/nginx.conf')) ?? [];
  assert(refused !== undefined, 'nginx.conf refuses no path.');
  const paths = Object.keys(JSON.parse(read('docs/openapi.json')).paths);
  const inside = paths.filter((path) => !/^\/(v1\/|livez|readyz)/.test(path));
  assert.deepEqual(
    paths.filter((path) => new RegExp(refused).test(path)),
    inside,
  );
  for (const page of ['SECURITY.md', 'docs/operate/deploying.md', 'docker/kubernetes.yaml'])
    for (const path of ['/ledger/v1', '/operator/v1', '/metrics'])
      assert(read(page).includes(path), `${page} does not name ${path}.`);
}

function image(): void {
  const dockerfile = read('docker/Dockerfile');
  const last = `${dockerfile.split(/^FROM /m).at(-1)}`;
  assert.match(dockerfile, /npm ci --omit=dev --omit=optional/);
  assert.match(last, /^USER node$/m);
  assert.match(last, /^HEALTHCHECK /m);
}

export const CONTAINER_RULES: Readonly<Record<string, () => void>> = {
  'a container of Tillgate cannot write, and has existing settings and programs':
    containersOfTillgate,
  'every container has bounded memory and logs, and few rights': limits,
  'one role migrates, and another one serves': roles,
  'every secret is a file, and containers have the secrets that their settings name': secrets,
  'every mounted file exists': mounts,
  'the roles, their rights and their time limits are those of the documents': documentedRoles,
  'PgBouncer has the settings of its document': pgbouncer,
  'an alert of each severity reaches a receiver': alerts,
  'nginx and Prometheus name the existing instances': instances,
  'nginx refuses every path that is not for merchants or customers': hiddenPaths,
  'the image has an ordinary user, no development packages, and a health check': image,
};
