/**
 * The receiver for AWS Lambda in docs/start/recipes.md. test/docs/guides.test.ts runs the commands
 * of the page.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import ts from 'typescript';

const PROGRAM = resolve('dist/recipe-for-lambda.mjs');
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const BODY = JSON.stringify({ id: 'evt_1', type: 'refund.succeeded', data: { name: 'Änne' } });

type Handler = (request: object) => Promise<{ readonly statusCode: number }>;

let handler: Handler;

beforeAll(async () => {
  const page = readFileSync('docs/start/recipes.md', 'utf8');
  const [, code = ''] = /^```ts\n(.*?)^```$/ms.exec(page) ?? [];
  const compiled = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  }).outputText;
  writeFileSync(PROGRAM, compiled.replace("'tillgate-client'", "'./client/src/index.js'"));
  process.env.WEBHOOK_SECRET = SECRET;
  handler = (await import(pathToFileURL(PROGRAM).href)).handler;
});

afterAll(() => {
  delete process.env.WEBHOOK_SECRET;
  jest.restoreAllMocks();
  rmSync(PROGRAM);
});

/** A request as Lambda gives it, with a signature of the body. */
function requestOf(body: string, signed = body) {
  const now = new Date();
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign('evt_1', now, signed),
  };
  return { body, headers, isBase64Encoded: false };
}

test('it stores an event whose signature is right, and refuses any other', async () => {
  const stored = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  expect(await handler(requestOf(BODY))).toEqual({ statusCode: 204 });
  const encoded = { body: Buffer.from(BODY).toString('base64'), isBase64Encoded: true };
  expect(await handler({ ...requestOf(BODY), ...encoded })).toEqual({ statusCode: 204 });
  expect(await handler(requestOf(BODY, `${BODY} `))).toEqual({ statusCode: 400 });
  const event = ['evt_1', 'refund.succeeded'];
  expect(stored.mock.calls).toEqual([event, event]);
});
