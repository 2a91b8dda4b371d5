/**
 * The source keeps the boundaries between folders, and each rule finds the imports that break it.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
  readonly to: { readonly path?: string | string[]; readonly pathNot?: string | string[] };
}

interface Report {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly violations: readonly {
      readonly rule: { name: string };
      readonly from: string;
      readonly to: string;
    }[];
  };
}

const CONFIG = resolve('.dependency-cruiser.cjs');
const CRUISE = resolve('test/support/cruise.js');
const { forbidden: rules } = createRequire(import.meta.url)(CONFIG) as {
  forbidden: readonly Rule[];
};

/** Holds imports that break each rule: `importing file → imported file`. */
const BROKEN: Readonly<Record<string, readonly string[]>> = {
  'domain-is-pure': [
    'src/modules/checkout/domain/session.ts → fs',
    'src/modules/checkout/domain/session.ts → node_modules/pg/lib/index.js',
    'src/modules/checkout/domain/session.ts → src/modules/checkout/adapters/persistence/session.record.ts',
    'src/modules/checkout/domain/session.ts → src/modules/checkout/application/ports.ts',
    'src/shared/page.ts → src/modules/checkout/domain/session.ts',
  ],
  'application-knows-only-domain': [
    'src/modules/checkout/application/create-session.ts → fs',
    'src/modules/checkout/application/create-session.ts → node_modules/typeorm/index.js',
    'src/modules/checkout/application/create-session.ts → src/modules/access/domain/key.ts',
    'src/modules/checkout/application/create-session.ts → src/modules/checkout/adapters/persistence/row.ts',
    'src/modules/checkout/application/create-session.ts → src/platform/database.ts',
  ],
  'modules-meet-at-index': [
    'src/main.ts → src/modules/access/domain/key.ts',
    'src/modules/checkout/adapters/http/controller.ts → src/modules/access/adapters/representation/key.views.ts',
    'src/modules/checkout/adapters/http/controller.ts → src/modules/access/domain/key.ts',
    'src/modules/checkout/checkout.module.ts → src/modules/access/domain/key.ts',
    'src/modules/checkout/index.ts → src/modules/access/index.ts',
    'src/operator/cli/cli.ts → src/modules/access/domain/key.ts',
    'tools/metrics.ts → src/modules/access/domain/key.ts',
  ],
  'index-shows-no-adapter': [
    'src/modules/checkout/index.ts → src/modules/checkout/adapters/persistence/session.record.ts',
  ],
  'modules-point-one-way': [
    'src/modules/access/access.module.ts → src/modules/checkout/index.ts',
    'src/modules/checkout/checkout.module.ts → src/modules/payments/index.ts',
    'src/modules/payments/payments.module.ts → src/modules/refunds/index.ts',
  ],
  'adapters-stand-apart': [
    'src/modules/checkout/adapters/persistence/typeorm-sessions.ts → src/modules/checkout/adapters/http/session.requests.ts',
    'src/modules/checkout/adapters/representation/session.views.ts → src/modules/checkout/adapters/http/session.requests.ts',
  ],
  'controllers-do-not-write': [
    'src/modules/checkout/adapters/http/controller.ts → src/persistence/database.ts',
  ],
  'platform-knows-no-module': [
    'src/request/filter.ts → src/app.module.ts',
    'src/request/filter.ts → src/modules/access/index.ts',
  ],
  'operator-is-the-roof': [
    'src/modules/refunds/refunds.module.ts → src/operator/telemetry/metrics.ts',
    'src/operator/openapi/reference.controller.ts → src/operator/telemetry/metrics.ts',
    'src/operator/telemetry/metrics.ts → src/operator/process/server.ts',
    'src/request/errors.ts → src/operator/openapi/files.ts',
  ],
  'foundation-has-one-order': [
    'src/persistence/database.ts → src/persistence/encryption/encryption.ts',
    'src/platform/config.ts → src/request/errors.ts',
    'src/request/errors.ts → src/request/idempotency/idempotency.ts',
    'src/request/idempotency/idempotency.ts → src/request/validation/validation.ts',
  ],
  'batch-is-private': [
    'src/modules/checkout/adapters/persistence/postgres-sessions.ts → src/persistence/batch/batched-write.ts',
    'src/persistence/encryption/encryption.ts → src/persistence/batch/batched-write.ts',
    'src/request/idempotency/idempotency.ts → src/persistence/batch/batched-write.ts',
    'tools/statements.ts → src/persistence/batch/batched-write.ts',
  ],
  'tools-stay-outside': ['src/operator/telemetry/metrics.ts → tools/metrics.ts'],
  'migrations-stand-alone': ['migrations/0001-access.ts → src/shared/money.ts'],
  'one-way-out': [
    'src/modules/webhooks/application/test-endpoint.ts → src/modules/webhooks/application/receivers.ts',
    'src/modules/webhooks/webhooks.controller.ts → https',
    'src/modules/webhooks/webhooks.controller.ts → src/modules/webhooks/adapters/delivery/http-receivers.ts',
  ],
  'no-cycles': ['src/platform/config.ts → src/platform/server.ts'],
  'no-orphans': ['src/platform/left-over.ts → src/platform/left-over.ts'],
};

/** Holds imports that resemble the ones above and break no rule. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'domain-is-pure': ['src/modules/checkout/domain/session.ts → src/shared/money.ts'],
  'application-knows-only-domain': [
    'src/modules/checkout/application/create-session.ts → node_modules/@nestjs/common/index.js',
    'src/modules/checkout/application/create-session.ts → src/modules/access/index.ts',
    'src/modules/checkout/application/create-session.ts → src/modules/checkout/application/ports.ts',
    'src/modules/checkout/application/create-session.ts → src/modules/checkout/domain/session.ts',
    'src/modules/checkout/application/create-session.ts → src/shared/clock.ts',
  ],
  'modules-meet-at-index': [
    'src/modules/access/index.ts → src/modules/access/domain/key.ts',
    'src/modules/checkout/adapters/http/controller.ts → src/modules/access/index.ts',
    'tools/openapi/examples/access.ts → src/modules/access/domain/key.ts',
  ],
  'index-shows-no-adapter': [
    'src/modules/checkout/index.ts → src/modules/checkout/adapters/representation/session.views.ts',
  ],
  'adapters-stand-apart': [
    'src/modules/checkout/adapters/persistence/typeorm-sessions.ts → src/modules/checkout/adapters/persistence/session.record.ts',
    'src/modules/checkout/adapters/persistence/typeorm-sessions.ts → src/modules/checkout/adapters/representation/session.views.ts',
  ],
  'platform-knows-no-module': ['src/request/filter.ts → src/shared/clock.ts'],
  'operator-is-the-roof': [
    'src/main.ts → src/operator/process/start.ts',
    'src/operator/openapi/reference.controller.ts → src/operator/openapi/files.ts',
  ],
  'foundation-has-one-order': ['src/request/idempotency/idempotency.ts → src/platform/jobs.ts'],
  'batch-is-private': [
    'src/modules/checkout/adapters/persistence/postgres-sessions.ts → src/persistence/batched.ts',
    'src/persistence/batched.ts → src/persistence/batch/batched-write.ts',
  ],
  'migrations-stand-alone': ['migrations/0001-access.ts → node_modules/typeorm/index.js'],
  'one-way-out': [
    'src/modules/webhooks/webhooks.controller.ts → src/modules/webhooks/application/test-endpoint.ts',
  ],
  'no-cycles': ['src/platform/server.ts → src/platform/config.ts'],
  'no-orphans': ['src/main.ts → src/platform/http.ts'],
};

// The trees are inside the repository, so that packages are found.
const trees = mkdtempSync(resolve('dist/boundaries-'));
let source: Report;
let broken: readonly Report[];

beforeAll(async () => {
  const folders = Object.entries(BROKEN).map(([name, edges]) =>
    planted(name, [...edges, ...(ALLOWED[name] ?? [])]),
  );
  [source, ...broken] = (await cruise('.', ...folders)) as [Report, ...Report[]];
});

afterAll(() => rmSync(trees, { recursive: true }));

/** Makes a tree of files that contain only these imports. Imports of types count too. */
function planted(rule: string, edges: readonly string[]): string {
  const texts = new Map<string, string>();
  for (const edge of edges) {
    const [from = '', to = ''] = edge.split(' → ');
    const name = to.startsWith('src/')
      ? relative(dirname(from), to)
          .replace(/^(?!\.)/, './')
          .replace(/ts$/, 'js')
      : to;
    const line =
      from === to
        ? ''
        : `import type {} from '${name.replace(/^node_modules\/((?:@[^/]+\/)?[^/]+).*/, '$1')}';\n`;
    texts.set(from, (texts.get(from) ?? '') + line);
    if (/^(src|tools)\//.test(to)) texts.set(to, texts.get(to) ?? '');
  }
  for (const [path, text] of texts) {
    mkdirSync(join(trees, rule, dirname(path)), { recursive: true });
    writeFileSync(join(trees, rule, path), text);
  }
  return join(trees, rule);
}

test('the source keeps every boundary', () => {
  expect(violations(source)).toEqual([]);
});

test('every rule has imports here that break it', () => {
  expect(Object.keys(BROKEN).sort()).toEqual([...new Set(rules.map(({ name }) => name))].sort());
});

test.each(Object.entries(BROKEN))(
  'the imports that break %s break this rule and no other',
  (name, edges) => {
    const found = violations(broken[Object.keys(BROKEN).indexOf(name)] as Report);
    expect(found).toEqual(edges.map((edge) => `${name}: ${edge}`));
  },
);

test('every path in every rule, with each of its alternatives, matches a real file', () => {
  const files = source.modules.map((module) => module.source);
  const paths = rules.flatMap(({ from, to }) =>
    [from.path, to.path, to.pathNot].flat().filter((path) => path !== undefined),
  );
  expect(paths.length).toBeGreaterThan(rules.length);
  // $1 and $2 stand for what the groups of `from` matched: one folder or two.
  const patterns = paths.flatMap(alternatives).map((path) => path.replaceAll(/\$\d/g, '[a-z/]+'));
  expect(
    patterns.filter((pattern) => !files.some((file) => new RegExp(pattern).test(file))),
  ).toEqual([]);
});

test('every source file is in a folder that the rules know', () => {
  const known =
    /^src\/([^/]+\.ts$|(shared|platform|operator)\/|persistence\/([^/]+\.ts|(batch|citus|encryption)\/)|request\/([^/]+\.ts|(idempotency|validation)\/)|modules\/[^/]+\/(index\.ts$|resources\.ts$|[^/]+\.module\.ts$|domain\/|application\/|adapters\/))/;
  const files = source.modules
    .map((module) => module.source)
    .filter((file) => file.startsWith('src/'));
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => !known.test(file))).toEqual([]);
});

test('the order of modules has a place for every module', () => {
  const ordered = rules
    .filter(({ name }) => name === 'modules-point-one-way')
    .flatMap(({ from, to }) =>
      [from.path, to.path].flat().flatMap((path) => alternatives(path ?? '')),
    );
  const folders = readdirSync('src/modules', { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect([...new Set(ordered)].sort()).toEqual(
    folders.map(({ name }) => `^src/modules/${name}/`).sort(),
  );
});

/** Expands `a(b|c)` to `ab` and `ac`. */
function alternatives(path: string): string[] {
  const [whole, before, group = '', after] = /^(.*?)\(([^()]*)\)(.*)$/.exec(path) ?? [];
  if (whole === undefined) return [path];
  return group.split('|').flatMap((choice) => alternatives(`${before}${choice}${after}`));
}

function violations({ summary }: Report): string[] {
  return summary.violations
    .map(
      ({ rule, from, to }) => `${rule.name}: ${from} → ${to.replace(/^.*(?=node_modules\/)/, '')}`,
    )
    .sort();
}

/** Runs dependency-cruiser on each folder with the rules of `npm run check`. */
async function cruise(...folders: string[]): Promise<Report[]> {
  const options = { maxBuffer: 2 ** 28 };
  const { stdout } = await promisify(execFile)(process.execPath, [CRUISE, ...folders], options);
  return JSON.parse(stdout) as Report[];
}
