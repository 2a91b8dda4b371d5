import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import { Events } from '../../../events/index.js';
import { Acknowledgements } from '../../application/ports.js';

@Injectable()
export class EventAcknowledgements extends Acknowledgements {
  constructor(private readonly events: Events) {
    super();
  }

  async awaitedSince(caller: Caller, session: string): Promise<number | undefined> {
    return this.events.undeliveredSince(caller, { object: session, type: 'checkout.session.completed' });
  }
}
