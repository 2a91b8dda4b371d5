import { Amount, Text } from '../../../../request/validation/fields.js';

export class RejectRefundRequest {
  @Text({ max: 500, optional: true, description: 'Why, for people.' }) comment?: string | null;
}

export class ApproveRefundRequest extends RejectRefundRequest {
  @Amount({ min: 1, description: 'The amount of the refund, as you have seen it.' }) amount!: number;
}
