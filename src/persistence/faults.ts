// The bundle would rename a class whose name is imported, and the log would tell the new name.
import { QueryFailedError as FailedQuery } from 'typeorm';
import { isCommitCutOff, isLossOfNode, isOfShard } from './citus/citus.js';

const UNAVAILABLE = /^(08|57P|53)|^(40001|40P01|55P03|57014|25006|25P03|3D000|28P01|28000|26000)$/;

/**
 * pg and TypeORM throw these errors, which have no SQLSTATE, when a connection is lost or cannot be
 * opened.
 */
const CONNECTION_LOST = new RegExp(
  [
    'EMFILE',
    'ENFILE',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'Connection terminated',
    'timeout exceeded when trying to connect',
    'not queryable',
    'QueryRunnerAlreadyReleased',
    'QueryRunnerProviderAlreadyReleased',
  ].join('|'),
);

/** The database failed, and may succeed when the request is repeated. */
export class DatabaseFault extends Error {}

const REFUSED = /^(23|40|55P03|57014)/;

/** Tells whether PostgreSQL refused only the statement, so that the connection is still good. */
export function isRefusedStatement(error: unknown): boolean {
  const state = sqlState(error) ?? '';
  return REFUSED.test(state) || isLossOfNode(state, error);
}

/**
 * Tells whether a statement of several rows or runs failed for one of them, so that the others may
 * succeed alone.
 */
export function isOfOneRun(error: unknown): boolean {
  return 'statement' in (error as Error) && (isRefusedStatement(error) || !isUnavailable(error));
}

/**
 * Tells whether the same request may succeed later without a change: the database is down, full,
 * slow or restarting.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseFault) return true;
  if (error instanceof FailedQuery && error.driverError instanceof DatabaseFault) return true;
  const state = sqlState(error) ?? '';
  if (UNAVAILABLE.test(state) || isCommitCutOff(state, error)) return true;
  const { code } = error as { code?: unknown };
  return CONNECTION_LOST.test(`${error.name} ${String(code)} ${error.message}`);
}

/** Tells whether PostgreSQL ended a statement that took too long, or waited too long for a lock. */
export function isTimedOut(error: unknown): boolean {
  return sqlState(error) === '57014' || isLockTimeout(error);
}

/** Tells whether a statement waited longer for a lock than `lock_timeout` allows. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

/**
 * Returns the SQLSTATE of an error of pg, also of one that TypeORM wraps. A SQLSTATE has a digit,
 * and Node's EPIPE has none.
 */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** Tells whether PostgreSQL refused a write because of this constraint. */
export function violates(error: unknown, constraint: string): boolean {
  if ((error as { constraint?: unknown } | null)?.constraint === constraint) return true;
  return sqlState(error)?.startsWith('23') === true && isOfShard(error, constraint);
}
