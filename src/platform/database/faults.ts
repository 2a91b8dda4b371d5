import { QueryFailedError } from 'typeorm';

/** SQLSTATE classes and codes of a database that cannot work now but will again. */
const UNAVAILABLE = /^(08|57P|53)|^(40001|40P01|55P03|57014|25006|25P03|3D000|28P01|28000|26000)$/;

/** What pg and TypeORM throw without a SQLSTATE when a connection is lost or none is to be had. */
const CONNECTION_LOST =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|Connection terminated|timeout exceeded when trying to connect|not queryable|QueryRunnerAlreadyReleased|QueryRunnerProviderAlreadyReleased/;

/** The database did not do what it was asked, and may when it is asked again. */
export class DatabaseFault extends Error {}

/** A constraint, a conflict or a time limit. */
const REFUSED = /^(23|40|55P03|57014)/;

/** Whether PostgreSQL refused the statement, which says nothing against the connection. */
export function isRefusedStatement(error: unknown): boolean {
  return REFUSED.test(sqlState(error) ?? '');
}

/** Whether the same request may succeed later without a change: the database is down, full, slow or restarting. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseFault || causeOf(error) instanceof DatabaseFault) return true;
  const state = sqlState(error);
  if (state && UNAVAILABLE.test(state)) return true;
  const { code } = error as { code?: unknown };
  return CONNECTION_LOST.test(`${error.name} ${String(code)} ${error.message}`);
}

/** What pg threw, if TypeORM wrapped it. */
function causeOf(error: Error): unknown {
  return error instanceof QueryFailedError ? error.driverError : undefined;
}

/** The SQLSTATE of a PostgreSQL error, thrown by pg itself or wrapped by TypeORM. Node's EPIPE has no digit. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** Whether PostgreSQL refused a write because of this constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === constraint;
}
