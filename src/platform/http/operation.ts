import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Schema } from './schema.js';

interface AnswerFacts {
  readonly description: string;
  readonly schema: Schema;
  readonly located?: boolean;
  /** With the page of what it shows in `Link`, where there is one. */
  readonly linked?: boolean;
  readonly mediaType?: string;
  /** What the example has that the examples of the schema have not; of a list, its entries. */
  readonly example?: Readonly<Record<string, unknown>>;
}

export interface OperationFacts {
  readonly summary: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly answers: Readonly<Record<number, AnswerFacts>>;
  /** Run the domain on sample input: what each throws or returns is the example of its code. */
  readonly refusals?: readonly (() => unknown)[];
}

export interface TagFacts {
  readonly name: string;
  readonly description: string;
}

export interface WebhookFacts {
  readonly description: string;
  readonly schema: Schema;
  /** What the example has that the examples of the schema have not. */
  readonly example?: Readonly<Record<string, unknown>>;
}

export const OPERATION = 'tillgate:operation';
export const TAG = 'tillgate:tag';
export const WEBHOOKS = 'tillgate:webhooks';

/** Describes a route under an operationId, which clients are generated from and which therefore stays. */
export const Operation = (operationId: string, facts: OperationFacts): MethodDecorator =>
  applyDecorators(SetMetadata(OPERATION, { operationId, ...facts }), RouteConfig({ operationId }));

export const Tag = (name: string, description: string): ClassDecorator => SetMetadata(TAG, { name, description });

export const Webhooks = (webhooks: () => Readonly<Record<string, WebhookFacts>>): ClassDecorator =>
  SetMetadata(WEBHOOKS, webhooks);

declare module 'fastify' {
  interface FastifyContextConfig {
    operationId?: string;
  }
}
