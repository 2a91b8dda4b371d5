import { Injectable } from '@nestjs/common';
import { PublicUrl } from '../../../../platform/http/public-url.js';
import { modeOf } from '../../../../shared/id.js';
import { PaymentPages } from '../../../checkout/index.js';
import { PageTokens } from '../../application/ports.js';

@Injectable()
export class TokenPaymentPages extends PaymentPages {
  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly tokens: PageTokens,
  ) {
    super();
  }

  urlOf(organization: string, session: string): string | undefined {
    if (this.publicUrl.value === undefined) return undefined;
    const caller = { organization, mode: modeOf(session) };
    return `${this.publicUrl.value}/c/${this.tokens.of({ caller, session })}`;
  }
}
