import type { Database } from './database.js';

export const HAS_CITUS = {
  name: 'database.has_citus',
  text: `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "hasCitus"`,
};
const known = new WeakMap<Database, boolean>();

/** Whether this is a Citus cluster, where a statement that locks rows must name their organization. */
export async function isDistributed(database: Database): Promise<boolean> {
  const before = known.get(database);
  if (before !== undefined) return before;
  const [found] = await database.read<{ hasCitus: boolean }>(HAS_CITUS, []);
  known.set(database, found?.hasCitus ?? false);
  return found?.hasCitus ?? false;
}
