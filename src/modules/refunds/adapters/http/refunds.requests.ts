import { Amount, Formatted } from '../../../../platform/http/rules.js';

export class ProposeRefundRequest {
  @Formatted('pay-id') payment!: string;
  @Amount({ min: 1 }) amount!: number;
}
