#!/usr/bin/env node
import { requireNode } from '../process/node-version.js';

requireNode();
const { runCommand } = await import('./program.js');

// `tillgate key list | head` closes the pipe before everything is written.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? undefined : 1),
);

await runCommand(process.argv.slice(2));
// An application that did not start cannot be closed. Its connections would keep the command from
// ending, so the command ends its process.
process.stdout.write('', () => process.exit());
