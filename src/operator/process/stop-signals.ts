import { isatty } from 'node:tty';
import { report } from './explain.js';
import { writeWaitingLines } from './log.js';

export const SHUTDOWN_MS = 25_000;
const STDIN = 0;

/**
 * Calls `stop` once, on Ctrl-C, `kill` or a closed terminal. Ctrl-C often arrives twice, because
 * npm passes it on.
 */
export function onStopSignal(
  stop: () => void,
  { restart = stop }: { restart?: (() => void) | undefined } = {},
): void {
  const hadTerminal = isatty(STDIN);
  let stopping = false;
  const onSignal = () => {
    if (!stopping) stop();
    stopping = true;
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', () => {
    // An operator sends SIGHUP to restart, and a terminal sends it when it closes. A closed
    // terminal is no terminal any more, which tells the two cases apart.
    const lostTerminal = hadTerminal && !isatty(STDIN);
    if (lostTerminal || restart === stop) onSignal();
    else if (!stopping) restart();
  });
}

/** Ends the process once `close` is done, with the status 1 if it fails or takes too long. */
export function endAfter(close: () => Promise<unknown> | undefined): void {
  setTimeout(() => void end(1), SHUTDOWN_MS).unref();
  Promise.resolve(close()).then(
    () => end(0),
    (error) => {
      report(error);
      return end(1);
    },
  );
}

/** If nobody reads the log, process.exit would wait for ever for the lines to be written. */
async function end(status: number): Promise<void> {
  if (await writeWaitingLines()) process.exit(status);
  process.kill(process.pid, 'SIGKILL');
  // The first process of a container cannot kill itself by a signal.
  process.abort();
}
