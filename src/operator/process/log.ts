import { setTimeout as sleep } from 'node:timers/promises';
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Config } from '../../platform/config.js';

/** This bounds the lines that wait for a slow reader. Further lines are dropped. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/**
 * Lines are written together, because each write costs more than a line. A killed process loses the
 * buffered lines.
 */
const WRITTEN_TOGETHER_BYTES = 8 * 1024;
const WRITTEN_AFTER_MS = 100;
/** A reader that is only slow reads what waits in this time. */
const READ_WITHIN_MS = 1_000;

interface Output {
  /** Calls back when all lines are written. */
  flush(written: () => void): void;
}

const outputs: Output[] = [];

/**
 * Opens the standard output. Each line is a JSON object; on a terminal with pino-pretty installed,
 * people get readable lines.
 */
async function stream(): Promise<DestinationStream> {
  const { PinoPretty } =
    (process.stdout.isTTY && (await import('pino-pretty').catch(() => undefined))) || {};
  if (PinoPretty)
    return PinoPretty({
      sync: true,
      singleLine: true,
      ignore: 'pid',
      translateTime: 'SYS:HH:MM:ss.l',
    });
  return buffered();
}

/**
 * Collects the lines itself, because SonicBoom measures for each line all that it has collected,
 * which took two thirds of the time of a line. The timer runs only while a line waits, so that an
 * idle process is not woken.
 */
function buffered(): DestinationStream {
  const output = destination({
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    minLength: WRITTEN_TOGETHER_BYTES,
  });
  let lines = '';
  let isPlanned = false;
  const write = () => {
    if (lines !== '') output.write(lines);
    lines = '';
  };
  const flush = (written?: () => void) => {
    isPlanned = false;
    write();
    output.flush(written);
  };
  outputs.push({ flush });
  // At the exit, SonicBoom writes only what it was given before.
  process.once('exit', () => {
    write();
    output.flushSync();
  });
  return {
    write(line) {
      lines += line;
      if (lines.length >= WRITTEN_TOGETHER_BYTES) write();
      if (isPlanned) return;
      isPlanned = true;
      setTimeout(flush, WRITTEN_AFTER_MS).unref();
    },
  };
}

/** Writes the lines that wait. Returns false if nobody reads them. */
export async function writeWaitingLines(): Promise<boolean> {
  const written = outputs.map(
    (output) => new Promise<void>((resolve) => output.flush(() => resolve())),
  );
  const all = Promise.all(written).then(() => true);
  return Promise.race([all, sleep(READ_WITHIN_MS, false)]);
}

export async function openLog({ logLevel }: Pick<Config, 'logLevel'>): Promise<Logger> {
  return pino({ level: logLevel, base: { pid: process.pid } }, await stream());
}
