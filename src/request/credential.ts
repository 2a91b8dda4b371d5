import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Caller, Ledger } from '../shared/caller.js';
import { requestOf } from './request.js';

/** What a route requires: a secret key, a secret key of test mode (`sandbox`), a ledger key, an operator key, METRICS_TOKEN, or nothing. */
export type Credential = 'secret' | 'sandbox' | 'ledger' | 'operator' | 'metrics' | 'none';

export const CREDENTIAL = 'tillgate:credential';
const needs = (credential: Credential) => (): ClassDecorator & MethodDecorator => SetMetadata(CREDENTIAL, credential);

/** Decorators for controllers and routes. A route without one requires a secret key. */
export const LedgerKey = needs('ledger');
export const OperatorKey = needs('operator');
export const TestSecretKey = needs('sandbox');
export const MetricsToken = needs('metrics');
export const Public = needs('none');

/** Whose key it is. The ledger is the caller where resources belong to no organization, such as its webhook endpoints. */
export const CallerOfKey = createParamDecorator((_: unknown, context: ExecutionContext) => callerIn(context));
export const LedgerOfKey = createParamDecorator((_: unknown, context: ExecutionContext): Ledger => {
  return { mode: callerIn(context).mode };
});

const callerIn = (context: ExecutionContext) => requestOf(context).caller as Caller;
