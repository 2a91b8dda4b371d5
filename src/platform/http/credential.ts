import { SetMetadata } from '@nestjs/common';

/** What a route asks of its caller: a kind of API key, one of test mode (`sandbox`), METRICS_TOKEN, or nothing. */
export type Credential = 'secret' | 'sandbox' | 'ledger' | 'metrics' | 'none';

export const CREDENTIAL = 'tillgate:credential';
const needs = (credential: Credential) => (): ClassDecorator & MethodDecorator => SetMetadata(CREDENTIAL, credential);

/** A route without a mark takes a secret key. */
export const LedgerKey = needs('ledger');
export const TestSecretKey = needs('sandbox');
export const MetricsToken = needs('metrics');
export const Public = needs('none');
