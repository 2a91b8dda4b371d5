import { RequestMethod, type Type } from '@nestjs/common';
import {
  METHOD_METADATA,
  PARAMTYPES_METADATA,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
} from '@nestjs/common/internal';
import type { IdKind } from '../../shared/id.js';
import type { RequestClass } from './constraints.js';
import { type LedgerRequestOptions, LedgerRequestPipe } from './ledger-request.js';
import { ParseIdPipe, RequestPipe } from './validation.js';

/** A route reads these parts of a request, as the decorators of its parameters say. */
export interface RouteInput {
  readonly idKind: IdKind | undefined;
  readonly body: RequestClass | undefined;
  readonly query: RequestClass | undefined;
}

interface Argument {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes?: readonly unknown[];
}

type Arguments = Readonly<Record<string, Argument>>;

/** Throws if the route takes a body or a query that nothing validates. */
export function inputOf(controller: Type, name: string): RouteInput {
  const args: Arguments = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {};
  const owned = dataOf(args, LedgerRequestPipe) as LedgerRequestOptions | undefined;
  if (owned) return ownedInput(owned, controller.prototype[name] as object);
  const classes: readonly RequestClass[] =
    Reflect.getMetadata(PARAMTYPES_METADATA, controller.prototype, name) ?? [];
  const classOf = (type: RouteParamtypes): RequestClass | undefined => {
    const argument = argumentOf(args, type);
    if (argument && !argument.pipes?.includes(RequestPipe)) {
      const advice = 'use ValidRequest, ValidBody or ValidQuery.';
      throw new Error(`${controller.name}.${name} takes in what nothing validates: ${advice}`);
    }
    return argument && classes[argument.index];
  };
  const param = argumentOf(args, RouteParamtypes.PARAM);
  const path = param?.pipes?.find((pipe) => pipe instanceof ParseIdPipe);
  const keyed = dataOf(args, RequestPipe) as RequestClass | undefined;
  return {
    idKind: path?.kind,
    body: keyed ?? classOf(RouteParamtypes.BODY),
    query: classOf(RouteParamtypes.QUERY),
  };
}

/** Nest keeps an argument under its kind and its place. */
function argumentOf(args: Arguments, type: RouteParamtypes): Argument | undefined {
  return Object.entries(args).find(([key]) => key.startsWith(`${type}:`))?.[1];
}

function dataOf(args: Arguments, pipe: unknown): unknown {
  return Object.values(args).find(({ data, pipes }) => data && pipes?.includes(pipe))?.data;
}

function ownedInput({ kind, form }: LedgerRequestOptions, handler: object): RouteInput {
  const isRead = Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.GET;
  return isRead
    ? { idKind: kind, body: undefined, query: form }
    : { idKind: kind, body: form, query: undefined };
}
