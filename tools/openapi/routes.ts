import { RequestMethod, type Type } from '@nestjs/common';
import {
  METHOD_METADATA,
  PARAMTYPES_METADATA,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
} from '@nestjs/common/internal';
import type { Facts } from '../../src/platform/facts.js';
import { PRESENCES } from '../../src/request/idempotency/idempotency.js';
import {
  CREDENTIAL,
  type Credential,
  OPERATION,
  type OperationFacts,
  RIGHT,
  TAG,
  type TagFacts,
  WEBHOOKS,
  type WebhookFacts,
} from '../../src/request/route.js';
import type { RequestClass } from '../../src/request/validation/constraints.js';
import { type OwnedResource, OwnerPipe } from '../../src/request/validation/owned.js';
import { PathIdPipe, RequestPipe } from '../../src/request/validation/validation.js';
import type { Right } from '../../src/shared/caller.js';
import type { IdKind } from '../../src/shared/id.js';

export interface Route extends OperationFacts {
  readonly operationId: string;
  readonly controller: Type;
  readonly handler: string;
  readonly credential: Credential;
  readonly tag: TagFacts;
  readonly right: Right | undefined;
  readonly idKind: IdKind | undefined;
  readonly idempotencyKey: 'required' | 'accepted' | undefined;
  readonly body: RequestClass | undefined;
  readonly query: RequestClass | undefined;
}

interface Argument {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes?: readonly unknown[];
}

/** The described routes. A route that requires a key must be described; the pages of the documentation are not. */
export function routesOf(controller: Type): Route[] {
  return Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
    const handler = controller.prototype[name] as object;
    if (!Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
    const credential: Credential =
      read(CREDENTIAL, handler) ?? read(CREDENTIAL, controller) ?? 'secret';
    const operation = read<OperationFacts & { operationId: string }>(OPERATION, handler);
    if (!operation && credential !== 'none')
      throw new Error(`${controller.name}.${name} has no @Operation.`);
    if (!operation) return [];
    const route = {
      controller,
      handler: name,
      credential,
      tag: tagOf(controller),
      right: read<Right>(RIGHT, handler),
      idempotencyKey: PRESENCES.get(handler),
    };
    return [{ ...operation, ...route, ...inputOf(controller, name) }];
  });
}

export function webhooksOf(
  controller: Type,
  facts: Facts,
): Readonly<Record<string, WebhookFacts & { tag: TagFacts }>> {
  const webhooks = Object.entries(
    read<(facts: Facts) => Record<string, WebhookFacts>>(WEBHOOKS, controller)?.(facts) ?? {},
  );
  return Object.fromEntries(
    webhooks.map(([type, webhook]) => [type, { ...webhook, tag: tagOf(controller) }]),
  );
}

function tagOf(controller: Type): TagFacts {
  const tag = read<TagFacts>(TAG, controller);
  if (!tag) throw new Error(`${controller.name} has no @Tag.`);
  return tag;
}

function inputOf(controller: Type, name: string): Pick<Route, 'body' | 'query' | 'idKind'> {
  const classes = (Reflect.getMetadata(PARAMTYPES_METADATA, controller.prototype, name) ??
    []) as RequestClass[];
  const all: Readonly<Record<string, Argument>> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {};
  const argument = (type: RouteParamtypes) =>
    Object.entries(all).find(([key]) => key.startsWith(`${type}:`))?.[1];
  const classOf = (type: RouteParamtypes) => {
    const { index = -1, pipes = [] } = argument(type) ?? {};
    if (index >= 0 && !pipes.some((one) => one === RequestPipe))
      throw new Error(
        `${controller.name}.${name} takes in what nothing validates: use Keyed, ValidBody and ValidQuery.`,
      );
    return classes[index];
  };
  const dataOf = (pipe: unknown) =>
    Object.values(all).find(({ data, pipes }) => data && pipes?.includes(pipe))?.data;
  const owned = dataOf(OwnerPipe) as OwnedResource | undefined;
  if (owned) {
    const isRead = read(METHOD_METADATA, controller.prototype[name]) === RequestMethod.GET;
    return {
      idKind: owned.kind,
      body: isRead ? undefined : owned.form,
      query: isRead ? owned.form : undefined,
    };
  }
  const pipe = argument(RouteParamtypes.PARAM)?.pipes?.find((one) => one instanceof PathIdPipe);
  const body = dataOf(RequestPipe) as RequestClass | undefined;
  return {
    body: body ?? classOf(RouteParamtypes.BODY),
    query: classOf(RouteParamtypes.QUERY),
    idKind: pipe?.kind,
  };
}

function read<Value>(key: string, target: object): Value | undefined {
  return Reflect.getMetadata(key, target) as Value | undefined;
}
