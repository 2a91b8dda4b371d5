/**
 * Starts a real Chromium, which CHROMIUM_PATH names. On Linux with x64, it may also be the one
 * inside @sparticuz/chromium, which needs nothing installed beside it.
 */
import { execFileSync } from 'node:child_process';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, createBrotliDecompress } from 'node:zlib';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';

/** A container has no sandbox to give, and a test has no use for what Chromium does by itself. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const NAMED = process.env.CHROMIUM_PATH;
const HAS_CHROMIUM =
  NAMED !== undefined || (process.platform === 'linux' && process.arch === 'x64');

/**
 * Runs tests with a browser that is open from the first to the last. Without a browser, they are
 * skipped.
 */
export function describeInChromium(name: string, tests: (browser: () => Browser) => void): void {
  const reason = HAS_CHROMIUM ? '' : ' (skipped: no Chromium found, name one in CHROMIUM_PATH)';
  (HAS_CHROMIUM ? describe : describe.skip)(`${name}${reason}`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(() => browser.close());
    tests(() => browser);
  });
}

async function openBrowser(): Promise<Browser> {
  const always = { args: FLAGS, timeout: 300_000 };
  if (NAMED !== undefined) return chromium.launch({ ...always, executablePath: NAMED });
  const folder = await unpacked();
  const own = { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: join(folder, 'fonts.xml') };
  return chromium.launch({
    ...always,
    executablePath: join(folder, 'chromium'),
    env: { ...process.env, ...own },
  });
}

/**
 * Unpacks Chromium once for all files of a run, because it takes seconds. The run removes it at its
 * end.
 */
async function unpacked(): Promise<string> {
  const place = join(process.env.TEST_SCRATCH as string, 'chromium');
  if (existsSync(place)) return place;
  const made = mkdtempSync(`${place}-`);
  await unpack(made, place);
  try {
    renameSync(made, place);
  } catch {
    // Another file was faster.
    rmSync(made, { recursive: true, force: true });
  }
  return place;
}

/**
 * Unpacks the program, the libraries that a slim machine lacks, and a font, without which Chromium
 * ends at the first letter. They move to `place`.
 */
async function unpack(scratch: string, place: string): Promise<void> {
  const carried = join(fileURLToPath(import.meta.resolve('@sparticuz/chromium')), '../../bin');
  const program = join(scratch, 'chromium');
  await pipeline(
    createReadStream(join(carried, 'chromium.br')),
    createBrotliDecompress(),
    createWriteStream(program, { mode: 0o700 }),
  );
  for (const archive of ['al2023.tar.br', 'fonts.tar.br']) {
    const input = brotliDecompressSync(readFileSync(join(carried, archive)));
    execFileSync('tar', ['--extract', '--directory', scratch], { input });
  }
  const directories = `<dir>${join(place, 'fonts')}</dir><cachedir>${join(place, 'font-cache')}</cachedir>`;
  writeFileSync(
    join(scratch, 'fonts.xml'),
    `<?xml version="1.0"?><fontconfig>${directories}</fontconfig>`,
  );
}
