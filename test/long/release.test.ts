/**
 * The packages of a release have the same bytes each time, and work in an empty folder for a user
 * who may write nowhere else.
 */
import { execFile, execFileSync } from 'node:child_process';
import { chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { documents } from '../../tools/documents.js';
import { get, post } from '../support/client.js';
import { LINKED } from '../support/installed-client.js';
import {
  listening,
  postgresPid,
  run,
  Scratch,
  type Server,
  type Started,
  until,
} from '../support/processes.js';

const MINUTES = 60_000;
const { version, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const [OLDEST, NEWER] = engines.node.match(/\d+\.\d+\.\d+/g) as [string, string];
const NODE = `node-${process.platform}-${process.arch}`;
const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

const isRoot = process.getuid?.() === 0;
const BROWSER = 'src/modules/page/adapters/representation/browser';
const scratch = new Scratch();
const at = (...names: string[]) => join(scratch.path, ...names);
const lines = (command: string, ...words: string[]) =>
  execFileSync(command, words, { encoding: 'utf8' }).trim().split('\n');
const release = (folder: string) =>
  run([resolve('tools/release.js'), '--to', at(folder)], { ...LINKED, ...certificates() }).ended;

/** Returns the version of the packages. Before a release, it has the commit in it. */
function released(): string {
  const [newest = ''] = /^## .*$/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
  if (newest.startsWith(`## [${version}]`)) return version;
  return `${version}-dev.${lines('git', 'rev-parse', '--short=12', 'HEAD')[0]}`;
}

const packedOf = (name: string) => `${name}-${released()}.tgz`;

function certificates(): Readonly<Record<string, string>> {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  return NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS };
}

/** Runs commands in an empty folder, as a user without rights, on this Node. */
function shell(folder: string, node: string) {
  const PATH = `${at(node, 'node_modules', NODE, 'bin')}:${process.env.PATH}`;
  const home = {
    HOME: folder,
    npm_config_cache: at('cache'),
    NODE_COMPILE_CACHE: at('cache', 'compiled'),
  };
  const environment = { ...LINKED, ...certificates(), ...home, PATH, DEMO: 'on' };
  return (command: string) =>
    run([], environment, [
      ...(isRoot ? AS_NOBODY : []),
      'sh',
      '-c',
      `cd "${folder}" && exec ${command}`,
    ]);
}

/** Makes a folder that belongs to a user without rights. */
function folderOf(name: string): string {
  mkdirSync(at(name));
  if (isRoot) chownSync(at(name), NOBODY, NOBODY);
  return at(name);
}

beforeAll(async () => {
  execFileSync('chmod', ['755', scratch.path]);
  folderOf('cache');
  expect(await release('once')).toMatchObject({ status: 0, stderr: '' });
}, 15 * MINUTES);

afterAll(() => scratch.clear());

test('the package contains the program, its licence and the list of its contents, and nothing else', () => {
  const sources = lines('git', 'ls-files', 'client/src', 'examples/ledger', BROWSER);
  // The examples and drills of customers need all of the client but the operator's API.
  const needed = sources.filter((path) => path !== 'client/src/operator.ts');
  const files = [...needed, 'examples/provider.ts'].map((path) =>
    path.replace(/ts$/, 'js').replace(BROWSER, 'bundle/browser'),
  );
  const bundle = readdirSync('dist/bundle').filter((name) => name !== 'browser');
  const programs = [...files, ...bundle.map((name) => `bundle/${name}`)].map(
    (path) => `dist/${path}`,
  );
  const reference = [
    'icon.svg',
    'index.html',
    'llms-full.txt',
    'llms.txt',
    'openapi.json',
    'scalar.js',
    'start.js',
    ...documents().map(({ path }) => path),
  ];
  const pages = reference.map((name) => `dist/reference/${name}.gz`);
  const about = ['LICENSE', 'README.md', 'npm-shrinkwrap.json', 'package.json', 'sbom.json'];
  const packed = lines('tar', '-tf', at('once', packedOf('tillgate'))).map((path) =>
    path.replace('package/', ''),
  );
  expect(packed.sort()).toEqual([...programs, ...pages, ...about].sort());
});

test('each package says the version', () => {
  for (const name of ['tillgate', 'tillgate-client', 'tillgate-mcp']) {
    const manifest = lines('tar', '-xOf', at('once', packedOf(name)), 'package/package.json');
    expect(JSON.parse(manifest.join('')).version).toBe(released());
  }
});

test.concurrent(
  'a second release has the same bytes',
  async () => {
    await release('again');
    const [once, again] = ['once', 'again'].map((folder) =>
      readFileSync(at(folder, 'SHA256SUMS'), 'utf8'),
    );
    expect(again).toBe(once);
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], {
      cwd: at('again'),
    });
    const listed = again?.match(/\S+$/gm) ?? [];
    expect([...listed, 'SHA256SUMS'].sort()).toEqual(readdirSync(at('again')).sort());
  },
  15 * MINUTES,
);

interface Installed {
  readonly folder: string;
  readonly type: (command: string) => Started;
}

/** Installs a package of the release in an empty folder, on this Node. */
async function installed(node: string, name: string): Promise<Installed> {
  const folder = folderOf(`${name} on ${node}`);
  const packed = packedOf(name);
  copyFileSync(at('once', packed), join(folder, packed));
  const type = shell(folder, node);
  expect(await type(`npm i --no-audit --no-fund ./${packed}`).ended).toMatchObject({ status: 0 });
  return { folder, type };
}

async function installNode(node: string): Promise<void> {
  const words = ['install', '--silent', '--no-audit', '--no-fund', '--prefix', at(node)];
  await promisify(execFile)('npm', [...words, `${NODE}@${node}`]);
}

/** Proposes a refund, waits until the demo's ledger has paid it out, and returns its ID. */
async function refunded({ url, key, payment }: Server): Promise<string> {
  const body = { payment, amount: 500 };
  const proposed = await post(`${url}/v1/refunds`, { key: key as string, body });
  expect(proposed.status).toBe(201);
  const read = () => get(`${url}/v1/refunds/${proposed.body.id}`, { key: key as string });
  await until(async () => (await read()).body.status === 'succeeded');
  return proposed.body.id;
}

/**
 * Starts the service for the work, and then stops it as Ctrl-C does: a terminal sends the signal to
 * npx and to what npx started.
 */
async function whileStarted({ folder, type }: Installed, work: (server: Server) => Promise<void>) {
  const server = await listening(scratch.keep(type('setsid npx tillgate start')));
  await work(server).finally(() => process.kill(-(server.child.pid as number), 'SIGINT'));
  expect((await server.ended).stderr).toBe('');
  expect(postgresPid(join(folder, '.data'))).toBeUndefined();
}

test.concurrent(
  `npm i and npx tillgate start work on Node ${NEWER}`,
  async () => {
    await installNode(NEWER);
    const service = await installed(NEWER, 'tillgate');
    await whileStarted(service, async (server) => void (await refunded(server)));
  },
  20 * MINUTES,
);

test.concurrent(
  `npm i, npx tillgate start, the commands and the packages beside it work on Node ${OLDEST}`,
  async () => {
    await installNode(OLDEST);
    const service = await installed(OLDEST, 'tillgate');
    const tillgate = async (words: string) =>
      JSON.parse((await service.type(`npx tillgate ${words}`).ended).stdout);

    await whileStarted(service, async (server) => {
      const refund = await refunded(server);
      expect(await tillgate('migrate')).toEqual({ applied: [] });
      expect(await tillgate('doctor --json')).toMatchObject({ healthy: true });
      const operator = await tillgate('key create --kind operator');
      const { status, body } = await get(`${server.url}/operator/v1/organizations`, operator);
      expect(status).toBe(200);
      const restricted = `key create --org ${body.data[0].id} --mode test --kind restricted`;
      const agent = await tillgate(`${restricted} --right propose`);
      for (const name of ['tillgate-client', 'tillgate-mcp']) {
        const { folder, type } = await installed(OLDEST, name);
        copyFileSync(`test/support/packages/${name}.js`, join(folder, 'use.mjs'));
        const used = await type(`node use.mjs ${server.url} ${agent.key} ${refund}`).ended;
        expect(used).toEqual({ status: 0, stdout: 'succeeded\n', stderr: '' });
      }
    });
    const drill = await service.type('npx tillgate drill --seed 1 -- true').ended;
    expect(drill).toMatchObject({ status: 2, stderr: expect.stringContaining('ended by itself') });
  },
  20 * MINUTES,
);
