import { Amount, Currency } from '../../../../platform/http/fields.js';

export class PayCheckoutSessionRequest {
  @Amount({
    min: 1,
    optional: true,
    description: 'Captured amount, in the minor unit of the currency. Without one, the total of the session.',
  })
  amount?: number;
  @Currency({ optional: true, description: 'ISO 4217 code. Without one, the currency of the session.' })
  currency?: string | null;
}
