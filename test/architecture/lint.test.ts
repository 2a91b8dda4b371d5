/** Each rule of eslint.config.js finds code that breaks it. */
import { expect, test } from '@jest/globals';
import { ESLint } from 'eslint';

const ADAPTER = 'src/modules/checkout/adapters/persistence/typeorm-sessions.ts';
const CREATE = 'src/modules/checkout/application/create-session.ts';

test.each([
  ['src/form.ts', String.raw`/\d+\.\d*[1-9]\d*(?![\deE])/g`, ['backtracking', 'move']],
  ['src/form.ts', String.raw`/^\s*charset\s*=\s*"?([^"]*?)"?\s*$/`, ['backtracking']],
  ['src/form.ts', String.raw`header.split(/\s*,\s*/)`, ['move']],
  ['src/form.ts', '/^(a+)+$/', ['backtracking']],
  ['src/form.ts', '/^[a-z]{1,3}(?:-[a-z]+)*$/', []],
  [CREATE, `import { Injectable, Logger } from '@nestjs/common'`, ['no-restricted-imports']],
  [CREATE, `import { ModuleRef } from '@nestjs/core'`, ['no-restricted-imports']],
  [CREATE, `import { Injectable } from '@nestjs/common'`, []],
  [ADAPTER, `import { DataSource } from 'typeorm'`, ['no-restricted-imports']],
  [ADAPTER, `source.getRepository('session')`, ['no-restricted-properties']],
  ['src/wait.ts', 'Date.now()', ['no-restricted-syntax']],
  ['src/wait.ts', 'new Date()', ['no-restricted-syntax']],
])('eslint judges %s with the code %s by the expected rules', async (filePath, code, rules) => {
  const [{ messages = [] } = {}] = await new ESLint().lintText(`${code};\n`, { filePath });
  const found = messages.map(({ ruleId }) => ruleId?.replace('regexp/no-super-linear-', ''));
  expect([...new Set(found)].sort()).toEqual(rules);
});
