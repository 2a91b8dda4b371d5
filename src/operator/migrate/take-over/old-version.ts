/** Tells which version made a database that this one cannot use yet, and what to do with it. */

/** These are the first migration of 1.0.0 and the last one of 1.2.0. */
const FIRST = 'Access1763700000001';
const LAST = 'RedactedPaymentIndexes1763700000057';

export interface OldVersion {
  readonly found: string;
  readonly advice: string;
  readonly canBeTakenOver: boolean;
}

const VERSION_120: OldVersion = {
  found: 'Version 1.2.0 made this database.',
  advice:
    'Stop all servers and back the database up, then run ' +
    '`node dist/bundle/cli.js migrate` (docs/operate/upgrading.md).',
  canBeTakenOver: true,
};

const BEFORE_120: OldVersion = {
  found: 'A version before 1.2.0 made this database.',
  advice:
    'Install 1.2.0 first and run its `tillgate migrate`, then that of this version ' +
    '(docs/operate/upgrading.md).',
  canBeTakenOver: false,
};

/** Returns undefined for a database that this version made, and for an empty one. */
export function oldVersionOf(executed: readonly string[]): OldVersion | undefined {
  if (!executed.includes(FIRST)) return undefined;
  return executed.includes(LAST) ? VERSION_120 : BEFORE_120;
}
