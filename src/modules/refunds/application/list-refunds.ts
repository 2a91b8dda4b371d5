import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Page, pageOf } from '../../../shared/page.js';
import type { Refund } from '../domain/refund.js';
import { type RefundFilter, Refunds } from './ports.js';

@Injectable()
export class ListRefunds {
  constructor(private readonly refunds: Refunds) {}

  async execute(caller: Caller, filter: RefundFilter): Promise<Page<Refund>> {
    return pageOf(await this.refunds.list(caller, filter), filter.limit);
  }
}
