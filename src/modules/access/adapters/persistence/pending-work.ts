import type { JobWork } from '../../../../platform/module-declaration.js';

/** The job belongs to the sandbox. It works for all clocks that were moved. */
export const CLOCK_WORK: JobWork = {
  job: 'follow_test_clocks',
  pending: `SELECT FROM sandbox_clocks WHERE ahead_seconds > 0 ORDER BY organization_id LIMIT 1`,
};
