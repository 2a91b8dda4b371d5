const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C, `kill`, and a closed terminal. Called once: npm passes a terminal's Ctrl-C on, so it often comes twice. */
export function onStopSignal(stop: () => void): void {
  let stopping = false;
  const onSignal = () => {
    if (!stopping) stop();
    stopping = true;
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
}
