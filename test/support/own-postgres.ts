/**
 * A test may have a PostgreSQL of its own, with an archive of its log, copies of it while it runs,
 * and servers on the copies.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  initialize,
  processOn,
  start,
} from '../../src/operator/embedded-postgres/postgres-process.js';
import { withClient } from './postgres.js';
import { isRunning, until } from './processes.js';

const USER = 'tillgate';
const PASSWORD = 'password';

export class OwnPostgres {
  private constructor(
    /** The directory is below /tmp and open to all, because PostgreSQL may run as another user. */
    private readonly scratch: string,
    private readonly name: string,
    private readonly user = USER,
  ) {}

  static async start(settings: readonly string[] = [], user = USER): Promise<OwnPostgres> {
    const scratch = mkdtempSync('/tmp/tillgate-own-');
    chmodSync(scratch, 0o755);
    const archive = join(scratch, 'archive');
    mkdirSync(archive);
    chmodSync(archive, 0o777);
    const postgres = new OwnPostgres(scratch, 'primary', user);
    await initialize(postgres.directory, user, PASSWORD);
    postgres.configure('archive_mode = on', `archive_command = 'cp %p ${archive}/%f'`, ...settings);
    await postgres.run();
    return postgres;
  }

  get url(): string {
    return `postgres://${this.user}:${PASSWORD}@127.0.0.1:${processOn(this.directory)?.port}/postgres?sslmode=disable`;
  }

  /** Makes a base backup of the files while others write to them. */
  async copy(name: string): Promise<OwnPostgres> {
    const copy = new OwnPostgres(this.scratch, name);
    await withClient(this.url, async (client) => {
      await client.query(`SELECT pg_backup_start('copy', fast => true)`);
      // The backup does not need files that vanish meanwhile.
      spawnSync('cp', ['-Rp', this.directory, copy.directory]);
      const { rows } = await client.query(
        'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
      );
      copy.write('backup_label', rows[0].labelfile);
    });
    rmSync(join(copy.directory, 'postmaster.pid'), { force: true });
    const log = join(copy.directory, 'pg_wal');
    for (const file of readdirSync(log)) if (/^[0-9A-F]{24}/.test(file)) rmSync(join(log, file));
    return copy;
  }

  /** Runs a copy as a hot standby that follows the primary. */
  async follow(primary: OwnPostgres): Promise<void> {
    const { hostname, port } = new URL(primary.url);
    this.configure(
      `primary_conninfo = 'host=${hostname} port=${port} user=${USER} password=${PASSWORD}'`,
    );
    this.write('standby.signal', '');
    await this.run();
  }

  /** Runs a copy as the archive has it at an instant, in the form in which PostgreSQL writes it. */
  async restore(instant: string): Promise<void> {
    this.configure(
      `restore_command = 'cp ${join(this.scratch, 'archive')}/%f %p'`,
      `recovery_target_time = '${instant}'`,
      `recovery_target_action = 'promote'`,
      'archive_mode = off',
    );
    this.write('recovery.signal', '');
    await this.run();
    const isPrimary = 'SELECT NOT pg_is_in_recovery() AS yes';
    await until(() =>
      withClient(this.url, async (client) => (await client.query(isPrimary)).rows[0].yes),
    );
  }

  stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const { pid } = processOn(this.directory) ?? {};
    if (pid === undefined) return Promise.resolve();
    process.kill(pid, signal);
    return until(() => !isRunning(pid));
  }

  /**
   * Stops every process until thaw(). Connections stay open, and nothing answers. The first process
   * stops first and goes on last, so that meanwhile no child comes and none vanishes.
   */
  freeze(): void {
    process.kill(this.pid, 'SIGSTOP');
    for (const child of this.children) process.kill(child, 'SIGSTOP');
  }

  thaw(): void {
    for (const child of this.children) process.kill(child, 'SIGCONT');
    process.kill(this.pid, 'SIGCONT');
  }

  /** Removes the files of all copies, which have to be stopped before. */
  remove(): void {
    rmSync(this.scratch, { recursive: true, force: true });
  }

  private get pid(): number {
    return processOn(this.directory)?.pid as number;
  }

  private get children(): number[] {
    return readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .map(Number);
  }

  private get directory(): string {
    return join(this.scratch, this.name);
  }

  private async run(): Promise<void> {
    await start(this.directory, join(this.scratch, `${this.name}.log`));
    const answers = () => withClient(this.url, () => Promise.resolve(true)).catch(() => false);
    await until(async () => processOn(this.directory) !== undefined && (await answers()));
  }

  private configure(...settings: readonly string[]): void {
    appendFileSync(
      join(this.directory, 'postgresql.conf'),
      settings.map((setting) => `${setting}\n`).join(''),
    );
  }

  /**
   * Writes as the owner of the directory, because PostgreSQL renames the file after it has read it.
   */
  private write(name: string, text: string): void {
    const file = join(this.directory, name);
    writeFileSync(file, text);
    const { uid, gid } = statSync(this.directory);
    chownSync(file, uid, gid);
  }
}
