import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { notFound } from '../../../shared/errors.js';
import type { Refund } from '../domain/refund.js';
import { Refunds } from './ports.js';

@Injectable()
export class ReadRefund {
  constructor(private readonly refunds: Refunds) {}

  async execute(caller: Caller, id: string): Promise<Refund> {
    const refund = await this.refunds.find(caller, id);
    if (!refund) throw notFound('id');
    return refund;
  }
}
