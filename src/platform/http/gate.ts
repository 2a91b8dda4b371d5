import { SetMetadata } from '@nestjs/common';

/** What opens a route: a kind of API key, or nothing at all. Without a mark it is a secret key. */
export type Gate = 'secret' | 'ledger' | 'open';

export const GATE = 'tillgate:gate';
export const Gated = (gate: Gate): ClassDecorator & MethodDecorator => SetMetadata(GATE, gate);
