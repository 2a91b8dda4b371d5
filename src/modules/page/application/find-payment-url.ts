import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { Pages } from './ports.js';

@Injectable()
export class FindPaymentUrl {
  constructor(private readonly pages: Pages) {}

  /** Where the sessions of the organization and mode are paid; null for nowhere. */
  async execute(caller: Caller): Promise<string | null> {
    return this.pages.organizationPaymentUrl(caller);
  }
}
