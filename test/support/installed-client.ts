/** Packs the client's package, and installs it in an empty project. */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The packages of the project are symbolic links, which FAST_START does not resolve. */
export const LINKED = { NODE_OPTIONS: '' };

const execute = promisify(execFile);
const npm = async (cwd: string, ...args: string[]) =>
  (await execute('npm', ['--silent', ...args], { cwd })).stdout;

export async function installClient(folder: string, project: string): Promise<void> {
  await mkdir(project);
  const [packed] = JSON.parse(await npm('client', 'pack', '--json', '--pack-destination', folder));
  await npm(project, 'init', '--yes');
  await npm(
    project,
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    join(folder, packed.filename),
  );
}
