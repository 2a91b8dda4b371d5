import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Facts } from '../platform/facts.js';
import type { Schema } from './schema.js';

interface AnswerFacts {
  readonly description: string;
  readonly schema: Schema;
  readonly located?: boolean;
  /** Whether the response can have a `Link` header with the payment page. */
  readonly linked?: boolean;
  readonly mediaType?: string;
}

export interface OperationFacts {
  readonly summary: string;
  readonly description?: string;
  readonly answers: Readonly<Record<number, AnswerFacts>>;
}

export interface TagFacts {
  readonly name: string;
  readonly description: string;
}

export interface WebhookFacts {
  readonly description: string;
  readonly schema: Schema;
}

export const OPERATION = 'tillgate:operation';
export const TAG = 'tillgate:tag';
export const WEBHOOKS = 'tillgate:webhooks';

/** Describes a route. Its operationId must not change, because generated clients name their methods after it. */
export const Operation = (operationId: string, facts: OperationFacts): MethodDecorator =>
  applyDecorators(SetMetadata(OPERATION, { operationId, ...facts }), RouteConfig({ operationId }));

export const Tag = (name: string, description: string): ClassDecorator => SetMetadata(TAG, { name, description });

export const Webhooks = (webhooks: (facts: Facts) => Readonly<Record<string, WebhookFacts>>): ClassDecorator =>
  SetMetadata(WEBHOOKS, webhooks);

declare module 'fastify' {
  interface FastifyContextConfig {
    operationId?: string;
  }
}
