import { createRequire } from 'node:module';

/** The oldest Node that has all that Tillgate imports. `engines` names those that still get fixes. */
const OLDEST = [20, 19] as const;

/** Ends a process of a Node that is too old. Imported before all else, of which an old Node lacks something. */
export function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  const { engines } = createRequire(import.meta.url)('#package') as { engines: { node: string } };
  process.stderr.write(
    `Tillgate runs on Node ${engines.node}, and this is Node ${process.versions.node}: install a newer one.\n`,
  );
  process.exit(1);
}
