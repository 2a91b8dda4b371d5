/**
 * A real Chromium: the one that CHROMIUM_PATH names, on Linux with x64 the one inside @sparticuz/chromium, which needs
 * nothing installed beside it, elsewhere one that is installed.
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

/** A container has no sandbox to give, and a test has no use for what Chromium does of its own accord. */
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

const USUAL_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const PACKAGED = process.platform === 'linux' && process.arch === 'x64';
const NAMED = process.env.CHROMIUM_PATH;
const INSTALLED = [...(NAMED ? [NAMED] : PACKAGED ? [] : USUAL_PATHS)].find((path) => existsSync(path));

/** A wrong CHROMIUM_PATH is a mistake, and no reason to skip anything. */
const HAS_CHROMIUM = Boolean(NAMED) || PACKAGED || INSTALLED !== undefined;

/** Tests with a browser that is open from the first to the last; they are skipped where there is none. */
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
  const packaged = !NAMED && PACKAGED;
  const folder = packaged ? await unpacked() : '';
  const executablePath = NAMED ?? (packaged ? join(folder, 'chromium') : (INSTALLED as string));
  const env = packaged ? { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: join(folder, 'fonts.xml') } : {};
  return chromium.launch({ executablePath, args: FLAGS, timeout: 300_000, env: { ...process.env, ...env } });
}

/** Once for all files of a run, which removes it at its end: to unpack it takes seconds. */
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

/** The program, the libraries that a slim machine lacks, and a font: without any, Chromium ends at the first letter. They move to `place`. */
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
  writeFileSync(join(scratch, 'fonts.xml'), `<?xml version="1.0"?><fontconfig>${directories}</fontconfig>`);
}
