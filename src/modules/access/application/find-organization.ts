import { Injectable } from '@nestjs/common';
import { Organizations } from './ports.js';

@Injectable()
export class FindOrganization {
  constructor(private readonly organizations: Organizations) {}

  async exists(id: string): Promise<boolean> {
    return this.organizations.exists(id);
  }

  async any(): Promise<boolean> {
    return this.organizations.any();
  }
}
