import { SetMetadata } from '@nestjs/common';

/**
 * What opens a route: a kind of API key, one of test mode (`sandbox`), the token of METRICS_TOKEN, or nothing at all.
 * Without a mark it is a secret key.
 */
export type Gate = 'secret' | 'sandbox' | 'ledger' | 'metrics' | 'open';

export const GATE = 'tillgate:gate';
export const Gated = (gate: Gate): ClassDecorator & MethodDecorator => SetMetadata(GATE, gate);
