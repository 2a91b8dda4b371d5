import { createRequire } from 'node:module';

/** `engines` in package.json also leaves out newer versions that get no fixes any more. */
const OLDEST = [22, 13] as const;

/**
 * Ends the process if its Node is too old. It is imported before everything else, because other
 * modules import what an old Node does not have.
 */
export function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  const { engines } = createRequire(import.meta.url)('#package') as { engines: { node: string } };
  process.stderr.write(
    `Tillgate runs on Node ${engines.node}, and this is Node ${process.versions.node}: install a ` +
      'newer one.\n',
  );
  process.exit(1);
}
