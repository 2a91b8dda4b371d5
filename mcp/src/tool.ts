/**
 * Registers a tool. Each call passes the rate limit, the schema and the right of the key, and then
 * does its work.
 */
import type {
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Tillgate } from '../../client/src/index.js';
import { answer, type Call, MissingRight, refusal, TooManyCalls } from './answers.js';
import type { Caller } from './caller.js';
import type { Right } from './rights.js';
import type { Service } from './service.js';

/**
 * These hints say what a tool changes: it reads, or it adds or withdraws, and a repetition changes
 * nothing.
 */
export const READS = { readOnlyHint: true, openWorldHint: false } as const;
export const ADDS = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
export const WITHDRAWS = { ...ADDS, destructiveHint: true } as const;

export interface Desk {
  readonly tillgate: Tillgate;
  readonly caller: Caller;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: typeof READS | typeof ADDS | typeof WITHDRAWS;
  /** A key without this right is not offered the tool. */
  readonly right?: Right;
  readonly input: Input;
  readonly output: StandardSchemaWithJSON;
  work(given: z.output<Input>, desk: Desk): Promise<object>;
}

/** Makes tools one type, though each of them takes other arguments. */
export const tool = <Input extends z.ZodObject>(definition: Tool<Input>): Tool =>
  definition as unknown as Tool;

export function register(server: McpServer, service: Service, caller: Caller, tool: Tool): void {
  const { name, title, description, annotations, input, output: outputSchema } = tool;
  const about = { title, description, annotations, inputSchema: unchecked(input), outputSchema };
  server.registerTool(name, about, async (given, context) => {
    try {
      return answer(await workOf(tool, given, { service, caller, context }));
    } catch (error) {
      return refusal(error, { tool: name, arguments: given as Call['arguments'] });
    }
  });
}

interface Surroundings {
  readonly service: Service;
  readonly caller: Caller;
  readonly context: ServerContext;
}

async function workOf({ right, input, work }: Tool, given: unknown, at: Surroundings) {
  const { service, caller, context } = at;
  if (!(await service.admits(caller.key))) throw new TooManyCalls();
  const parsed = input.parse(given);
  // Tillgate may not have answered when the tools were listed.
  const isAllowed = right === undefined || (await service.rightsOf(caller.key)).has(right);
  if (!isAllowed) throw new MissingRight(right);
  return work(parsed, { tillgate: service.client(caller.key, traceOf(context)), caller });
}

/**
 * Lists the schema, and leaves the check to the call, so that its refusals read like all others.
 */
function unchecked(schema: z.ZodObject): StandardSchemaWithJSON {
  const { jsonSchema } = (schema as unknown as StandardSchemaWithJSON)['~standard'];
  const validate = (value: unknown) => ({ value });
  return { '~standard': { version: 1, vendor: 'tillgate', validate, jsonSchema } };
}

const TRACE = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Returns the trace that the call names, or else the one of its HTTP request. */
function traceOf({ mcpReq, http }: ServerContext): string | undefined {
  const named = mcpReq._meta?.traceparent ?? http?.req?.headers.get('traceparent');
  return typeof named === 'string' && TRACE.test(named) ? named : undefined;
}
