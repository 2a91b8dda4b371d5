#!/usr/bin/env node
/** Serves the tools over stdio or, with PORT, over streamable HTTP to this machine. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from './caller.js';
import { serveHttp } from './http.js';
import { UnfitKey } from './rights.js';
import { serverOf } from './server.js';
import { Service } from './service.js';
import { settingsOf } from './settings.js';

const settings = settingsOf(process.env);
if ('faults' in settings) end(settings.faults);

const { caller, port } = settings;
const service = new Service(settings);
if (port !== undefined) serveHttp(service, port);
if (caller !== undefined) {
  serveStdio(() => serverOf(service, caller));
  await examine(caller);
}

/**
 * Ends the process if the key can never work, and prints which right it lacks. Tillgate need not
 * run yet.
 */
async function examine({ key }: Caller): Promise<void> {
  const rights = await service.rightsOf(key).catch((error) => {
    if (error instanceof UnfitKey) end([`TILLGATE_KEY is refused. ${error.message}`]);
  });
  if (rights?.has('propose') === false)
    console.error('TILLGATE_KEY lacks the right propose: no refund can be proposed or canceled.');
}

function end(faults: readonly string[]): never {
  for (const fault of faults) console.error(fault);
  process.exit(1);
}
