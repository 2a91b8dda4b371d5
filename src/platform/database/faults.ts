import { QueryFailedError } from 'typeorm';

/** SQLSTATE classes and codes of a database that cannot work now but will again. */
const UNAVAILABLE = /^(08|57P|53)|^(40001|40P01|55P03|57014|25006|25P03|3D000|28P01|28000|26000)$/;

/** What pg and TypeORM throw without a SQLSTATE when a connection is lost or none is to be had. */
const CONNECTION_LOST =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|Connection terminated|timeout exceeded when trying to connect|not queryable|QueryRunnerAlreadyReleased|QueryRunnerProviderAlreadyReleased/;

/** The database did not do what it was asked, and may when it is asked again. */
export class DatabaseFault extends Error {}

const REFUSED = /^(23|40|55P03|57014)/;

/** What a node of a Citus cluster says when another one dies in the middle of its commit. It has no code of its own. */
const COMMIT_CUT_OFF = /^could not commit transaction/;

/** Whether PostgreSQL refused the statement, which says nothing against the connection. */
export function isRefusedStatement(error: unknown): boolean {
  const state = sqlState(error) ?? '';
  // Another node of a cluster is lost: the connection to this one would be lost with FATAL.
  return REFUSED.test(state) || (state.startsWith('08') && (error as { severity?: unknown }).severity === 'ERROR');
}

/** Whether the same request may succeed later without a change: the database is down, full, slow or restarting. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseFault || causeOf(error) instanceof DatabaseFault) return true;
  const state = sqlState(error);
  if (state && UNAVAILABLE.test(state)) return true;
  if (state === 'XX000' && COMMIT_CUT_OFF.test(error.message)) return true;
  const { code } = error as { code?: unknown };
  return CONNECTION_LOST.test(`${error.name} ${String(code)} ${error.message}`);
}

function causeOf(error: Error): unknown {
  return error instanceof QueryFailedError ? error.driverError : undefined;
}

/** The SQLSTATE of a PostgreSQL error, thrown by pg itself or wrapped by TypeORM. Node's EPIPE has no digit. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/**
 * Whether PostgreSQL refused a write because of this constraint. A node of a Citus cluster adds the number of its part of
 * the table to the name, and tells other nodes the name only in its message.
 */
export function violates(error: unknown, constraint: string): boolean {
  const { constraint: name, message } = (error ?? {}) as { constraint?: unknown; message?: unknown };
  if (name === constraint) return true;
  if (!sqlState(error)?.startsWith('23')) return false;
  return new RegExp(`"${constraint}(_\\d+)?"`).test(name === undefined ? String(message) : `"${name}"`);
}
