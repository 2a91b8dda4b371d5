import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { Pages } from './ports.js';

@Injectable()
export class FindPaymentUrl {
  constructor(private readonly pages: Pages) {}

  /** The payment URL of the caller's organization and mode, or null. */
  async execute(caller: Caller): Promise<string | null> {
    return this.pages.organizationPaymentUrl(caller);
  }
}
