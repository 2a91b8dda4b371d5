import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { uuidOf } from '../../../../shared/id.js';
import { Organizations } from '../../application/ports.js';
import type { Organization } from '../../domain/organization.js';
import { OrganizationRecord } from './organization.record.js';

@Injectable()
export class TypeormOrganizations extends Organizations {
  constructor(private readonly database: Database) {
    super();
  }

  async add({ id, name, webhookSecret }: Organization): Promise<void> {
    await this.database.manager.insert(OrganizationRecord, { id: uuidOf(id), name, webhookSecret });
  }

  async exists(id: string): Promise<boolean> {
    return this.database.manager.existsBy(OrganizationRecord, { id: uuidOf(id) });
  }
}
