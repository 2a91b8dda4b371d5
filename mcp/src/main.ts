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
import { boundedFetch } from './bounded-fetch.js';
import { serverOf } from './server.js';
import { settingsOf } from './settings.js';

const settings = settingsOf(process.env);
if ('faults' in settings) {
  for (const fault of settings.faults) console.error(fault);
  process.exit(1);
}

const { baseUrl, key, port } = settings;
const tillgate = new Tillgate({ baseUrl, key, fetch: boundedFetch });
const factory = () => serverOf(tillgate, settings);

if (port === undefined) serveStdio(factory);
else {
  const handle = toNodeHandler(createMcpHandler(factory));
  // A web page in a browser on this machine must not reach the tools.
  const [isLocal, isOwn] = [localhostHostValidation(), localhostOriginValidation()];
  createServer((request, response) => {
    if (isLocal(request, response) && isOwn(request, response))
      void handle(request as Parameters<typeof handle>[0], response);
  }).listen(port, '127.0.0.1');
}
