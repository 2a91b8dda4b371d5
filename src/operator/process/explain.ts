import type { AddressInfo } from 'node:net';
import { ConfigError } from '../../platform/config.js';

export function explain(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.faults;
  const { code, port, address, message } = error as NodeJS.ErrnoException & Partial<AddressInfo>;
  if (code === 'EADDRINUSE')
    return [`Port ${port} on ${address} is in use: stop what listens there, or set PORT.`];
  if (code === 'EACCES' && port)
    return [`Port ${port} needs more rights: set PORT to one above 1023.`];
  if (code === 'EADDRNOTAVAIL')
    return [`HOST cannot be listened on: ${address} is not an address of this machine.`];
  if (code === 'ENOTFOUND') return [`HOST cannot be listened on: ${message}.`];
  if (code === 'ENOTDIR' || code === 'EACCES') return [`DATA_DIR cannot be used: ${message}.`];
  return [message];
}

export function report(error: unknown): void {
  for (const line of explain(error)) process.stderr.write(`${line}\n`);
}

export function fail(error: unknown): never {
  report(error);
  process.exit(1);
}
