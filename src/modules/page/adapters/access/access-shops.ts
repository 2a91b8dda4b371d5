import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import { FindOrganization } from '../../../access/index.js';
import { Shops } from '../../application/ports.js';

@Injectable()
export class AccessShops extends Shops {
  constructor(private readonly findOrganization: FindOrganization) {
    super();
  }

  async name(organization: string): Promise<string> {
    return (await this.findOrganization.byId(organization)).name;
  }

  async origins(caller: Caller): Promise<readonly string[]> {
    return this.findOrganization.origins(caller);
  }
}
