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

/** The timer runs only while a line waits, so that an idle process is not woken. */
function buffered(): DestinationStream {
  const output = destination({
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    minLength: WRITTEN_TOGETHER_BYTES,
  });
  let isPlanned = false;
  const flush = () => {
    isPlanned = false;
    output.flush();
  };
  return {
    write(line) {
      output.write(line);
      if (isPlanned) return;
      isPlanned = true;
      setTimeout(flush, WRITTEN_AFTER_MS).unref();
    },
  };
}

export async function openLog({ logLevel }: Pick<Config, 'logLevel'>): Promise<Logger> {
  return pino({ level: logLevel, base: { pid: process.pid } }, await stream());
}
