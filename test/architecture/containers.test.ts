/**
 * The container files start existing programs, as a user who cannot write, and with existing
 * settings.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/platform/config.js';

const DOCKERFILE = readFileSync('docker/Dockerfile', 'utf8');
const ROLES = readFileSync('docker/postgres/roles.sql', 'utf8');
const sqlOf = (page: string) =>
  [...readFileSync(page, 'utf8').matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

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
  readonly logging?: {
    readonly driver: string;
    readonly options: Readonly<Record<string, string>>;
  };
}

/** The value of a setting, which may be in the file of a secret. */
function settingOf({ environment = {} }: Container, name: string): string {
  const file = environment[`${name}_FILE`]?.replace('/run/secrets/', 'docker/secrets/');
  return (file ? readFileSync(file, 'utf8').replace(/\n$/, '') : environment[name]) ?? '';
}

const composed = (file: string): Readonly<Record<string, Container>> =>
  parse(readFileSync(join('docker', file), 'utf8'), { merge: true }).services;

/** Returns the source of a file of the build. */
const sourceOf = (built: string): string => built.replace(/^dist\//, '').replace(/\.js$/, '.ts');

describe.each(['compose.yaml', 'compose.production.yaml'])('%s', (file) => {
  const services = composed(file);
  const own = Object.entries(services).filter(([, { image }]) => image === 'tillgate');

  test.each(own)(
    'the container %s cannot write, and has existing settings and an existing command',
    (_, container) => {
      expect(container).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      for (const path of container.command?.filter((part) => part.startsWith('dist/')) ?? []) {
        expect([path, existsSync(sourceOf(path))]).toEqual([path, true]);
      }
      expectSettings(container.environment ?? {});
    },
  );

  test.each(Object.entries(services))(
    'the container %s has bounded memory and logs, and few rights',
    (_, container) => {
      const rights = { cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
      const logging = { driver: 'local', options: { 'max-size': '20m', 'max-file': '5' } };
      expect(container).toMatchObject({
        ...rights,
        logging,
        mem_limit: expect.stringMatching(/^\d+[mg]$/),
      });
    },
  );

  test('one role migrates, and another one serves', () => {
    const urls = own.map(([, container]) => new URL(settingOf(container, 'DATABASE_URL')));
    const roles = urls.map(({ username }) => username);
    expect(roles).toEqual(['tillgate_owner', ...own.slice(1).map(() => 'tillgate')]);
    expect(services.postgres?.volumes).toContain('./postgres:/docker-entrypoint-initdb.d:ro');
    const passwords = urls.map(({ password }) => password);
    expect(passwords.filter((one) => !ROLES.includes(`PASSWORD '${one}'`))).toEqual([]);
  });

  test('every secret is an existing file, and each container has the secrets that its settings name', () => {
    const { secrets = {} } = parse(readFileSync(join('docker', file), 'utf8'));
    for (const [name, secret] of Object.entries<{ file: string }>(secrets))
      expect([name, secret.file, existsSync(join('docker', secret.file))]).toEqual([
        name,
        `secrets/${name}`,
        true,
      ]);
    for (const { environment = {}, secrets: granted = [] } of Object.values(services)) {
      const named = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
      expect(named.filter((path) => !granted.includes(path.replace('/run/secrets/', '')))).toEqual(
        [],
      );
      expect(granted.filter((name) => secrets[name] === undefined)).toEqual([]);
    }
  });

  test('every mounted file exists', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    const files = mounted.filter((source) => source.startsWith('.'));
    expect(files.filter((source) => !existsSync(join('docker', source)))).toEqual([]);
  });
});

test('the roles, their rights and their time limits are those of the documents', () => {
  const statements = ROLES.split('\n').filter(
    (line) => /^[A-Z]+ /.test(line) && !line.startsWith('SET '),
  );
  const [make = '', grant = ''] = sqlOf('docs/operate/postgresql.md');
  const documented = (make + sqlOf('docs/operate/pgbouncer.md').join('') + grant)
    .trim()
    .split('\n');
  const withoutPassword = (line: string) =>
    line.replace(/'[\w-]+'(?=;$)/, (text) => (/PASSWORD/.test(line) ? '' : text));
  expect(statements.map(withoutPassword)).toEqual(documented.map(withoutPassword));
});

test('PgBouncer has the settings of its document', () => {
  const settingsIn = (text: string) =>
    text.match(/^(?!tillgate|listen|auth|max_client)\w+ = .*$/gm)?.toSorted();
  const [, documented = ''] =
    /```ini\n(.*?)```/s.exec(readFileSync('docs/operate/pgbouncer.md', 'utf8')) ?? [];
  expect(settingsIn(readFileSync('docker/pgbouncer/pgbouncer.ini', 'utf8'))).toEqual(
    settingsIn(documented),
  );
});

test('an alert of each severity reaches a receiver', () => {
  const { alerting } = parse(readFileSync('docker/prometheus/prometheus.yml', 'utf8'));
  expect(alerting.alertmanagers[0].static_configs[0].targets).toEqual(['alertmanager:9093']);
  expect(composed('compose.production.yaml').alertmanager?.volumes).toContain(
    './alertmanager:/etc/alertmanager:ro',
  );
  const { route, receivers } = parse(readFileSync('docker/alertmanager/alertmanager.yml', 'utf8'));
  expect(receivers.map(({ name }: { name: string }) => name)).toEqual(['page', 'ticket']);
  expect([route.receiver, route.routes[0].receiver, route.routes[0].matchers]).toEqual([
    'ticket',
    'page',
    ['severity="page"'],
  ]);
});

test('nginx and Prometheus name the existing instances', () => {
  const names = Object.keys(composed('compose.production.yaml')).filter((name) =>
    /^tillgate-\d$/.test(name),
  );
  const addresses = names.map((name) => `${name}:3000`);
  const upstream = [
    ...readFileSync('docker/nginx/nginx.conf', 'utf8').matchAll(/server (tillgate\S+);/g),
  ].map(([, one]) => one);
  const { scrape_configs } = parse(readFileSync('docker/prometheus/prometheus.yml', 'utf8'));
  expect(upstream).toEqual(addresses);
  const [{ static_configs, authorization }] = scrape_configs;
  expect(static_configs[0].targets).toEqual(addresses);
  const containers = names.map((name) => composed('compose.production.yaml')[name] as Container);
  expect(containers.map(({ environment }) => environment?.METRICS_TOKEN_FILE)).toEqual(
    names.map(() => authorization.credentials_file),
  );
  expect(composed('compose.production.yaml').prometheus?.secrets).toEqual(['metrics_token']);
});

test('nginx refuses every path that is not for merchants or customers', () => {
  const config = readFileSync('docker/nginx/nginx.conf', 'utf8');
  const [, refused = ''] = /location ~ (\S+) \{\s+return 404;/.exec(config) ?? [];
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  const hidden = Object.keys(paths).filter((path) => new RegExp(refused).test(path));
  const inside = Object.keys(paths).filter((path) =>
    /^\/(ledger\/v1|operator\/v1|metrics)/.test(path),
  );
  expect(hidden).toEqual(inside);
  expect(Object.keys(paths).filter((path) => /^\/(?!v1\/|livez|readyz)/.test(path))).toEqual(
    inside,
  );
});

test.each(['SECURITY.md', 'docs/operate/deploying.md', 'docker/kubernetes.yaml'])(
  '%s keeps the ledger, operators and metrics from the public',
  (page) => {
    const text = readFileSync(page, 'utf8');
    for (const path of ['/ledger/v1', '/operator/v1', '/metrics'])
      expect([path, text.includes(path)]).toEqual([path, true]);
  },
);

describe('kubernetes.yaml', () => {
  const documents = parseAllDocuments(readFileSync('docker/kubernetes.yaml', 'utf8')).map((one) =>
    one.toJS(),
  );
  const withPods = documents.filter(({ spec }) => spec.template);

  test('has a job that migrates, and a deployment that the service, the budget and the policy select', () => {
    expect(documents.map(({ kind }) => kind)).toEqual([
      'Job',
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'NetworkPolicy',
    ]);
    const [, deployment, service, budget, policy] = documents;
    const { labels } = deployment.spec.template.metadata;
    const selectors = [deployment.spec.selector, budget.spec.selector, policy.spec.podSelector];
    const selected = [service.spec.selector, ...selectors.map(({ matchLabels }) => matchLabels)];
    expect(selected).toEqual(selected.map(() => labels));
  });

  test('gives the owner of the tables to the job only, and mounts the files of the secrets', () => {
    const [job, deployment] = withPods.map(({ spec }) => spec.template.spec);
    const mountsOf = ({ volumes, containers: [{ volumeMounts }] }: typeof job) =>
      volumeMounts.map(({ name, mountPath }: Record<string, string>) => {
        const { secret } = volumes.find((volume: { name: string }) => volume.name === name);
        return [secret.secretName, mountPath];
      });
    expect(mountsOf(deployment)).toEqual([['tillgate', '/run/secrets/tillgate']]);
    expect(mountsOf(job)).toEqual([
      ['tillgate', '/run/secrets/tillgate'],
      ['tillgate-owner', '/run/secrets/tillgate-owner'],
    ]);
    const fileOf = ({ containers: [{ env }] }: typeof job) =>
      env.find(({ name }: { name: string }) => name === 'DATABASE_URL_FILE').value;
    expect([fileOf(job), fileOf(deployment)]).toEqual([
      '/run/secrets/tillgate-owner/database_url',
      '/run/secrets/tillgate/database_url',
    ]);
    const { command } = job.containers[0];
    expect(command.slice(-3)).toEqual(['migrate', '--service-role', 'tillgate']);
  });

  test.each(withPods.map((one) => [one.kind, one] as const))(
    'runs this version in the %s, as an ordinary user who cannot write',
    (_, { spec }) => {
      const { securityContext, containers } = spec.template.spec;
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      for (const container of containers) {
        expect(container.image).toBe(`tillgate:${version}`);
        expect(container.resources.limits).toEqual({ memory: '512Mi' });
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        for (const path of container.command?.slice(1, 2) ?? [])
          expect([path, existsSync(sourceOf(path))]).toEqual([path, true]);
        expectSettings(
          Object.fromEntries(
            (container.env ?? []).map(({ name, value }: Record<string, string>) => [name, value]),
          ),
        );
      }
    },
  );

  test('names existing settings in the secret of its comments', () => {
    const named = readFileSync('docker/kubernetes.yaml', 'utf8').matchAll(/\b([A-Z_]+)=…/g);
    const all = [...named].map(([, name]) => name);
    expect(all).toContain('METRICS_TOKEN');
    const settings = readFileSync('docs/reference/settings.md', 'utf8');
    expect(all.filter((name) => !settings.includes(`| \`${name}\` `))).toEqual([]);
  });

  test('names the job by the version', () => {
    expect(documents[0].metadata.name).toBe(`tillgate-migrate-${version}`);
  });
});

test('the image has an ordinary user, no development packages, and a health check', () => {
  const [, last = ''] = DOCKERFILE.split(/^FROM .* AS build$/m)[1]?.split(/^FROM /m) ?? [];
  expect(DOCKERFILE).toContain('npm ci --omit=dev --omit=optional');
  expect(last).toMatch(/^USER node$/m);
  expect(last).toMatch(/^HEALTHCHECK /m);
});

/**
 * Expects that each variable is a setting with an accepted value: an unknown one changes nothing,
 * and a wrong value throws. A file of a container cannot be read here.
 */
function expectSettings(environment: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(environment)) {
    const read = () => readConfig({ [name]: value });
    if (name.endsWith('_FILE'))
      expect(read).toThrow(`${name} is "${value}", but the file cannot be read (ENOENT).`);
    else expect([name, read()]).not.toEqual([name, readConfig({})]);
  }
}
