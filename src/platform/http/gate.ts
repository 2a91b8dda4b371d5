import { SetMetadata } from '@nestjs/common';

/** What opens a route: a kind of API key, one of test mode (`sandbox`), METRICS_TOKEN, or nothing. Unmarked: a secret key. */
export type Gate = 'secret' | 'sandbox' | 'ledger' | 'metrics' | 'open';

export const GATE = 'tillgate:gate';
export const Gated = (gate: Gate): ClassDecorator & MethodDecorator => SetMetadata(GATE, gate);
