/**
 * These are the decorators of a route and its parameters: what it requires, how it is described,
 * and who calls.
 */
import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify/decorators/route-config.decorator.js';
import type { FastifyRequest } from 'fastify';
import type { Declarations } from '../platform/module-declaration.js';
import type * as callers from '../shared/caller.js';
import type * as units from '../shared/unit.js';
import { authorOf, requestOf } from './request.js';
import type { Schema } from './schema.js';

/**
 * A route requires one of these: a secret key, a secret key of test mode (`sandbox`), a ledger key,
 * an operator key, METRICS_TOKEN, or nothing.
 */
export type Credential = 'secret' | 'sandbox' | 'ledger' | 'operator' | 'metrics' | 'none';

export const CREDENTIAL = 'tillgate:credential';
const needs = (credential: Credential) => (): ClassDecorator & MethodDecorator =>
  SetMetadata(CREDENTIAL, credential);

/**
 * These decorators are for controllers and routes. A route that has none of them requires a secret
 * key.
 */
export const LedgerKey = needs('ledger');
export const OperatorKey = needs('operator');
export const TestSecretKey = needs('sandbox');
export const MetricsToken = needs('metrics');
export const Public = needs('none');

export const RIGHT = 'tillgate:right';
/**
 * Sets the right that a restricted key needs for the route. A restricted key may only read routes
 * that have no such decorator.
 */
export const NeedsRight = (right: string): MethodDecorator => SetMetadata(RIGHT, right);

interface AnswerOptions {
  readonly description: string;
  readonly schema: Schema;
  readonly located?: boolean;
  readonly linked?: boolean;
  readonly mediaType?: string;
}

export interface OperationOptions {
  readonly summary: string;
  readonly description?: string;
  readonly answers: Readonly<Record<number, AnswerOptions>>;
}

export interface TagOptions {
  readonly name: string;
  readonly description: string;
}

export interface WebhookOptions {
  readonly description: string;
  readonly schema: Schema;
}

export const OPERATION = 'tillgate:operation';
export const TAG = 'tillgate:tag';
export const WEBHOOKS = 'tillgate:webhooks';

/**
 * Describes a route. Its operationId must not change, because generated clients name their methods
 * after it.
 */
export const Operation = (operationId: string, declarations: OperationOptions): MethodDecorator =>
  applyDecorators(
    SetMetadata(OPERATION, { operationId, ...declarations }),
    RouteConfig({ operationId }),
  );

export const Tag = (name: string, description: string): ClassDecorator =>
  SetMetadata(TAG, { name, description });

export const Webhooks = (
  webhooks: (declarations: Declarations) => Readonly<Record<string, WebhookOptions>>,
): ClassDecorator => SetMetadata(WEBHOOKS, webhooks);

const requestGives = <Value>(value: (request: FastifyRequest) => Value) =>
  createParamDecorator((_: unknown, context: ExecutionContext) => value(requestOf(context)));

/**
 * Gives the owner of the key. The ledger is the caller where resources belong to no organization,
 * such as its webhook endpoints.
 */
export const Caller = requestGives(({ caller }) => caller);
export type Caller = callers.Caller;

export const Ledger = requestGives(({ caller }) => caller && { mode: caller.mode });
export type Ledger = callers.Ledger;

export const Requester = requestGives(({ keyId: key = '', keyHolder: holder = '', actor }) => {
  return { key, holder, actor };
});
export type Requester = callers.Requester;

/** Gives who asks, for the trail. */
export const Author = requestGives(authorOf);
export type Author = units.Author;

/** Tells whether somebody else must approve the refunds that the requester proposes. */
export const NeedsApproval = requestGives((request) => request.needsApproval);

/** Tells whether a session that the requester creates needs a reference that is free. */
export const NeedsUniqueReferences = requestGives((request) => request.needsUniqueReferences);

declare module 'fastify' {
  interface FastifyContextConfig {
    operationId?: string;
  }
}
