import { SetMetadata } from '@nestjs/common';

/** What a route requires: a secret key, a secret key of test mode (`sandbox`), a ledger key, METRICS_TOKEN, or nothing. */
export type Credential = 'secret' | 'sandbox' | 'ledger' | 'metrics' | 'none';

export const CREDENTIAL = 'tillgate:credential';
const needs = (credential: Credential) => (): ClassDecorator & MethodDecorator => SetMetadata(CREDENTIAL, credential);

/** Decorators for controllers and routes. A route without one requires a secret key. */
export const LedgerKey = needs('ledger');
export const TestSecretKey = needs('sandbox');
export const MetricsToken = needs('metrics');
export const Public = needs('none');
