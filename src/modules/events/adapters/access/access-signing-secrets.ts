import { Injectable } from '@nestjs/common';
import { ManageWebhookSecret } from '../../../access/index.js';
import { SigningSecrets } from '../../application/ports.js';

@Injectable()
export class AccessSigningSecrets extends SigningSecrets {
  constructor(private readonly webhookSecret: ManageWebhookSecret) {
    super();
  }

  async of(organization: string): Promise<readonly string[]> {
    return this.webhookSecret.active(organization);
  }
}
