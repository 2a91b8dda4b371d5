#!/usr/bin/env node
/** Serves the tools over stdio or, with PORT, over streamable HTTP to this machine. */
import { createServer } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Tillgate } from 'tillgate-client';
import { serverOf } from './server.js';

const {
  TILLGATE_URL: baseUrl = '',
  TILLGATE_KEY: key = '',
  TILLGATE_ACTOR: actor,
  PORT,
} = process.env;

const RESTRICTED =
  'TILLGATE_KEY must be a restricted key, rk_…, with the right propose: any other key can do what an agent must not, such as approve its own refunds.';

const fault = URL.canParse(baseUrl)
  ? /^rk_(test|live)_/.test(key)
    ? undefined
    : RESTRICTED
  : 'TILLGATE_URL must be the URL of Tillgate.';
if (fault !== undefined) {
  console.error(fault);
  process.exit(1);
}

const tillgate = new Tillgate({ baseUrl, key });
const factory = () => serverOf(tillgate, actor);

if (PORT === undefined) serveStdio(factory);
else {
  const handle = toNodeHandler(createMcpHandler(factory));
  // A web page in a browser on this machine must not reach the tools.
  const [isLocal, isOwn] = [localhostHostValidation(), localhostOriginValidation()];
  createServer((request, response) => {
    if (isLocal(request, response) && isOwn(request, response))
      void handle(request as Parameters<typeof handle>[0], response);
  }).listen(Number(PORT), '127.0.0.1');
}
