/**
 * An agent talks to the tools of mcp/ over stdio. They are built by
 * `npm ci --prefix mcp && npm run --prefix mcp build`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe } from '@jest/globals';

export const SERVER = 'mcp/dist/mcp/src/main.js';
export const describeIfBuilt = existsSync(SERVER) ? describe : describe.skip;

// biome-ignore lint/suspicious/noExplicitAny: each tool answers something else.
export type Json = any;

export const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

export interface Settings extends Readonly<Record<string, string>> {
  readonly TILLGATE_URL: string;
  readonly TILLGATE_KEY: string;
}

export class Agent {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (message: Json) => void>();
  private last = 0;
  /** The server describes itself in this answer. */
  server: Json;

  private constructor(settings: Settings) {
    const env = { ...process.env, RATE_LIMIT_RPS: '0', ...settings };
    this.child = spawn(process.execPath, [SERVER], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface(this.child.stdout as NodeJS.ReadableStream).on('line', (line) => {
      const message = JSON.parse(line);
      this.waiting.get(message.id)?.(message);
    });
  }

  static async open(settings: Settings): Promise<Agent> {
    const agent = new Agent(settings);
    agent.server = await agent.ask('initialize', INITIALIZE);
    return agent;
  }

  async ask(method: string, params: object = {}): Promise<Json> {
    const id = ++this.last;
    const answer = new Promise<Json>((resolve) => this.waiting.set(id, resolve));
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return (await answer).result;
  }

  /** Returns the result of a tool, or its error. */
  async call(name: string, given: object = {}, _meta: object = {}): Promise<Json> {
    return resultOf(await this.ask('tools/call', { name, arguments: given, _meta }));
  }

  end(): void {
    this.child.kill();
  }
}

export function resultOf({ isError, structuredContent, content }: Json): Json {
  return isError ? { error: JSON.parse(content[0].text) } : structuredContent;
}
