import { createRequire } from 'node:module';

/** Ends a process of a Node that `engines` does not name. Imported before all else, of which an old Node lacks something. */
export function requireNode(): void {
  const { engines } = createRequire(import.meta.url)('#package') as { engines: { node: string } };
  if (includes(engines.node, process.versions.node)) return;
  process.stderr.write(
    `Tillgate runs on Node ${engines.node}, and this is Node ${process.versions.node}: install a newer one.\n`,
  );
  process.exit(1);
}

/** For ranges like `^22.13.0 || >=24.11.0`. */
export function includes(ranges: string, version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return ranges.split(' || ').some((range) => {
    const [oldest = 0, least = 0] = range.replace(/^\D+/, '').split('.').map(Number);
    return major === oldest ? minor >= least : major > oldest && range.startsWith('>=');
  });
}
