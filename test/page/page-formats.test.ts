/**
 * Amounts, counts and times follow the language of the page, whatever the language of the machine.
 */
import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const FORMATS = 'dist/src/modules/page/adapters/representation/formats.js';
const PROGRAM = `import { amountText, countText, timeText } from './${FORMATS}';
  for (const locale of ['xx', 'xx-DE', 'tlh', 'de']) {
    const kuwaiti = amountText(1234567, 'kwd', locale);
    console.log([kuwaiti, amountText(-5, 'eur', locale), countText(1234, locale), timeText(0, locale)].join('|'));
  }`;
const ENGLISH = 'KWD 1,234.567|-€0.05|1,234|January 1, 1970 at 12:00 AM UTC';
const GERMAN = '1.234,567 KWD|-0,05 €|1.234|1. Januar 1970 um 00:00 UTC';

test.each(['de_DE.UTF-8', 'ar_EG.UTF-8', 'ja_JP.UTF-8', 'C'])(
  "writes amounts, counts and times in the page's language on a machine in %s",
  (language) => {
    const env = { ...process.env, LANG: language, LC_ALL: language };
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      env,
      encoding: 'utf8',
    });
    const lines = said
      .replaceAll(/[\u00a0\u202f]/g, ' ')
      .trim()
      .split('\n');
    expect(lines).toEqual([ENGLISH, ENGLISH, ENGLISH, GERMAN]);
  },
);
