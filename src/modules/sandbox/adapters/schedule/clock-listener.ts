import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SandboxClocks } from '../../application/ports.js';
import { Announcements } from './announcements.js';
import { MovedClocks } from './moved-clocks.js';

/** Loads the moved clocks: in a server whenever one is moved, in a command once. */
@Injectable()
export class ClockListener implements OnApplicationBootstrap {
  constructor(
    private readonly clocks: SandboxClocks,
    private readonly known: MovedClocks,
    private readonly announcements: Announcements,
    private readonly host: HttpAdapterHost,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.host.httpAdapter) await this.announcements.listen(() => this.learn());
    else await this.learn();
  }

  private async learn(): Promise<void> {
    for (const clock of await this.clocks.moved()) this.known.learn(clock);
  }
}
