/** The baseline validates requests with these JSON Schemas for Fastify. */

export interface LineInput {
  readonly quantity?: number;
  readonly price_data: {
    readonly currency: string;
    readonly unit_amount: number;
    readonly product_data: { readonly name: string; readonly description?: string };
  };
}

export interface SessionInput {
  readonly currency: string;
  readonly success_url?: string;
  readonly cancel_url?: string;
  readonly customer_email?: string;
  readonly metadata?: Record<string, string>;
  readonly line_items: readonly LineInput[];
}

const amount = { type: 'integer', minimum: 0, maximum: 999_999_999_999 };
const currency = { type: 'string', pattern: '^[a-z]{3}$' };
const url = { type: 'string', maxLength: 2048, pattern: '^https://' };
const headers = {
  type: 'object',
  properties: { 'idempotency-key': { type: 'string', minLength: 1, maxLength: 255 } },
  required: ['idempotency-key'],
};

function object(properties: Record<string, unknown>, required: readonly string[]) {
  return { type: 'object', properties, required, additionalProperties: false };
}

const product = object(
  {
    name: { type: 'string', minLength: 1, maxLength: 255 },
    description: { type: 'string', maxLength: 1000 },
  },
  ['name'],
);
const price = object({ currency, unit_amount: amount, product_data: product }, [
  'currency',
  'unit_amount',
  'product_data',
]);
const line = object(
  { quantity: { type: 'integer', minimum: 1, maximum: 999_999 }, price_data: price },
  ['price_data'],
);

export const CREATE_SESSION = {
  headers,
  body: object(
    {
      currency,
      success_url: url,
      cancel_url: url,
      customer_email: { type: 'string', maxLength: 254 },
      metadata: {
        type: 'object',
        maxProperties: 50,
        additionalProperties: { type: 'string', maxLength: 500 },
      },
      line_items: { type: 'array', minItems: 1, maxItems: 100, items: line },
    },
    ['currency', 'line_items'],
  ),
};

export const PROPOSE_REFUND = {
  headers,
  body: object(
    { payment: { type: 'string', pattern: '^pay_' }, amount: { ...amount, minimum: 1 } },
    ['payment', 'amount'],
  ),
};
