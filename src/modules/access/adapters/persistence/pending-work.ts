import type { JobWork } from '../../../../platform/module-declaration.js';

/** The clocks stand in a table of this module. The sandbox, whose job this is, has no table. */
export const CLOCK_WORK: JobWork = {
  job: 'follow_test_clocks',
  pending: `SELECT FROM sandbox_clocks WHERE ahead_seconds > 0 ORDER BY organization_id LIMIT 1`,
};
