import { Injectable } from '@nestjs/common';
import { FindOrganization } from '../../../access/index.js';
import { KnownOrganizations } from '../../application/ports.js';

@Injectable()
export class AccessOrganizations extends KnownOrganizations {
  constructor(private readonly findOrganization: FindOrganization) {
    super();
  }

  async has(id: string): Promise<boolean> {
    return this.findOrganization.exists(id);
  }
}
