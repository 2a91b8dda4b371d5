import { Jobs } from '../../src/platform/jobs.js';

/** These jobs run only when a test runs them or moves a test clock, not after an interval. */
class IdleJobs extends Jobs {
  override repeat(): void {}
}

/**
 * Replaces the jobs of a service whose tests run a job themselves, and expect a state that the
 * service's own run of it would change.
 */
export const idleJobs = () => [Jobs, new IdleJobs()] as const;
