import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import type { SandboxClock } from '../domain/sandbox-clock.js';
import { SandboxClocks } from './ports.js';

@Injectable()
export class ReadClock {
  constructor(private readonly clocks: SandboxClocks) {}

  async execute(caller: Caller): Promise<SandboxClock> {
    return this.clocks.get(caller);
  }
}
