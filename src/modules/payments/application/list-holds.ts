import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Page, type PageRequest, pageOf } from '../../../shared/page.js';
import type { Hold } from '../domain/hold.js';
import { Holds } from './ports.js';

@Injectable()
export class ListHolds {
  constructor(private readonly holds: Holds) {}

  async execute(caller: Caller, payment: string, page: PageRequest): Promise<Page<Hold>> {
    return pageOf(await this.holds.list(caller, payment, page), page.limit);
  }
}
