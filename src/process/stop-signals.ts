import { isatty } from 'node:tty';

/** A stop that takes longer hangs. */
export const SHUTDOWN_MS = 25_000;
const STDIN = 0;

/** Ctrl-C, `kill`, and a closed terminal. Called once: npm passes a terminal's Ctrl-C on, so it often comes twice. */
export function onStopSignal(stop: () => void, { restart = stop }: { restart?: (() => void) | undefined } = {}): void {
  const hadTerminal = isatty(STDIN);
  let stopping = false;
  const onSignal = () => {
    if (!stopping) stop();
    stopping = true;
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', () => {
    // Sent by an operator, or because the terminal was closed, which is none from then on.
    const lostTerminal = hadTerminal && !isatty(STDIN);
    if (lostTerminal || restart === stop) onSignal();
    else if (!stopping) restart();
  });
}

/** Ends the process when all is closed, or when that hangs. */
export function endAfter(close: () => Promise<unknown> | undefined, fail: (error: unknown) => void): void {
  setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
  Promise.resolve(close()).then(() => process.exit(0), fail);
}
