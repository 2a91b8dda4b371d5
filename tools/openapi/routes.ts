import type { Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/internal';
import type { Right } from '../../src/modules/access/index.js';
import type { Declarations } from '../../src/platform/module-declaration.js';
import { presenceOf } from '../../src/request/idempotency/keyed-request.js';
import {
  CREDENTIAL,
  type Credential,
  OPERATION,
  type OperationOptions,
  RIGHT,
  TAG,
  type TagOptions,
  WEBHOOKS,
  type WebhookOptions,
} from '../../src/request/route.js';
import { inputOf, type RouteInput } from '../../src/request/validation/route-input.js';

export interface Route extends OperationOptions, RouteInput {
  readonly operationId: string;
  readonly controller: Type;
  readonly handler: string;
  readonly credential: Credential;
  readonly tag: TagOptions;
  readonly right: Right | undefined;
  readonly idempotencyKey: 'required' | 'accepted' | undefined;
}

/**
 * Returns the described routes. A route that requires a key must be described; the pages of the
 * documentation need no description.
 */
export function routesOf(controller: Type): Route[] {
  return Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
    const handler = controller.prototype[name] as object;
    if (!Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
    const credential: Credential =
      read(CREDENTIAL, handler) ?? read(CREDENTIAL, controller) ?? 'secret';
    const operation = read<OperationOptions & { operationId: string }>(OPERATION, handler);
    if (!operation && credential !== 'none')
      throw new Error(`${controller.name}.${name} has no @Operation.`);
    if (!operation) return [];
    const route = {
      controller,
      handler: name,
      credential,
      tag: tagOf(controller),
      right: read<Right>(RIGHT, handler),
      idempotencyKey: presenceOf(handler),
    };
    return [{ ...operation, ...route, ...inputOf(controller, name) }];
  });
}

export function webhooksOf(
  controller: Type,
  declarations: Declarations,
): Readonly<Record<string, WebhookOptions & { tag: TagOptions }>> {
  const webhooks = Object.entries(
    read<(declarations: Declarations) => Record<string, WebhookOptions>>(
      WEBHOOKS,
      controller,
    )?.(declarations) ?? {},
  );
  return Object.fromEntries(
    webhooks.map(([type, webhook]) => [type, { ...webhook, tag: tagOf(controller) }]),
  );
}

function tagOf(controller: Type): TagOptions {
  const tag = read<TagOptions>(TAG, controller);
  if (!tag) throw new Error(`${controller.name} has no @Tag.`);
  return tag;
}

function read<Value>(key: string, target: object): Value | undefined {
  return Reflect.getMetadata(key, target) as Value | undefined;
}
