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
import { listening, postgresPid, run, Scratch, until } from '../support/processes.js';

const MINUTES = 60_000;
const { version, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const VERSIONS = engines.node.match(/\d+\.\d+\.\d+/g) as string[];
const NODE = `node-${process.platform}-${process.arch}`;
const PACKED = `tillgate-${version}.tgz`;
const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

const isRoot = process.getuid?.() === 0;
const scratch = new Scratch();
const at = (...names: string[]) => join(scratch.path, ...names);
const lines = (command: string, ...words: string[]) =>
  execFileSync(command, words, { encoding: 'utf8' }).trim().split('\n');
const release = (folder: string) =>
  run([resolve('tools/release.js'), '--to', at(folder)], { ...LINKED, ...certificates() }).ended;

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
  const sources = lines(
    'git',
    'ls-files',
    'src',
    'migrations',
    'drill',
    'client/src',
    'examples/ledger',
  );
  // The drill is in the package, and needs all of the client but the operator's API.
  const needed = sources.filter((path) => path !== 'client/src/operator.ts');
  const built = needed.filter((path) => /\.(ts|sql|css)$|\/browser\/.*\.js$/.test(path));
  const programs = [...built, 'examples/provider.ts'].map(
    (path) => `dist/${path.replace(/ts$/, 'js')}`,
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
  const pages = reference.map((name) => `dist/src/operator/openapi/reference/${name}.gz`);
  const about = ['LICENSE', 'README.md', 'npm-shrinkwrap.json', 'package.json', 'sbom.json'];
  const packed = lines('tar', '-tf', at('once', PACKED)).map((path) =>
    path.replace('package/', ''),
  );
  expect(packed.sort()).toEqual([...programs, ...pages, ...about].sort());
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

test.concurrent.each(VERSIONS)(
  'npm i, npx tillgate start and the commands work on Node %s',
  async (node) => {
    const install = [
      'install',
      '--silent',
      '--no-audit',
      '--no-fund',
      '--prefix',
      at(node),
      `${NODE}@${node}`,
    ];
    await promisify(execFile)('npm', install);
    const folder = folderOf(`on ${node}`);
    copyFileSync(at('once', PACKED), join(folder, PACKED));
    copyFileSync('test/drill/worker.sh', join(folder, 'worker.sh'));
    const type = shell(folder, node);
    const tillgate = async (words: string) =>
      JSON.parse((await type(`npx tillgate ${words}`).ended).stdout);

    expect(await type(`npm i --no-audit --no-fund ./${PACKED}`).ended).toMatchObject({ status: 0 });
    const server = await listening(scratch.keep(type('setsid npx tillgate start')));
    const key = server.key as string;
    const refund = await post(`${server.url}/v1/refunds`, {
      key,
      body: { payment: server.payment, amount: 500 },
    });
    const { status } = refund;
    expect(status).toBe(201);
    await until(
      async () =>
        (await get(`${server.url}/v1/refunds/${refund.body.id}`, { key })).body.status ===
        'succeeded',
    );
    expect(await tillgate('migrate')).toEqual({ applied: [] });
    expect(await tillgate('doctor --json')).toMatchObject({ healthy: true });
    expect(await tillgate('key create --kind ledger --mode test')).toMatchObject({
      kind: 'ledger',
    });
    const operator = await tillgate('key create --kind operator');
    expect(operator.kind).toBe('operator');
    expect(
      (await get(`${server.url}/operator/v1/organizations`, { key: operator.key })).status,
    ).toBe(200);
    // In a terminal, Ctrl-C sends the signal to npx and to the processes that npx started.
    process.kill(-(server.child.pid as number), 'SIGINT');
    expect((await server.ended).stderr).toBe('');
    expect(postgresPid(join(folder, '.data'))).toBeUndefined();
    const drill = 'npx tillgate drill --seed 1 --refunds 40 --seconds 5 -- bash worker.sh';
    expect(await type(drill).ended).toMatchObject({ status: 0 });
  },
  20 * MINUTES,
);
