import {
  amount,
  CURRENCY,
  describedEnum,
  type FieldsOf,
  integer,
  list,
  nullable,
  object,
  text,
  type ValueOf,
} from '../../../../request/schema.js';
import type { LineItem, TaxBehavior } from '../../domain/line-item.js';

const TAX_BEHAVIOR = describedEnum<TaxBehavior>(
  { inclusive: 'the price includes tax', exclusive: 'tax is added to the price' },
  'Whether the price includes tax.',
);

export const LINE_ITEM = object(
  {
    product_name: text('Name of the product.', { examples: ['Book'] }),
    description: nullable(text('Description of the product.')),
    images: list(
      text('Image URL.', { examples: ['https://shop.example/book.png'] }),
      'Image URLs of the product.',
    ),
    tax_behavior: TAX_BEHAVIOR,
    quantity: integer('Quantity of the item.', { minimum: 1, maximum: 999_999, examples: [1] }),
    unit_price: amount('Price of one item.'),
    currency: CURRENCY,
    amount_subtotal: amount('Unit price times quantity.'),
    amount_discount: amount('Discount on the line, subtracted from its subtotal.', 0),
    amount_tax: amount(
      'Tax on the line. Exclusive tax is added to the total; inclusive tax is already part of it.',
      0,
    ),
    amount_total: amount('Total of the line.'),
  } satisfies FieldsOf<LineItem>,
  { name: 'LineItem' },
);

export function lineItemView(line: LineItem): ValueOf<typeof LINE_ITEM> {
  return {
    product_name: line.productName,
    description: line.description,
    images: line.images,
    tax_behavior: line.taxBehavior,
    quantity: line.quantity,
    unit_price: line.unitPrice,
    currency: line.currency,
    amount_subtotal: line.amountSubtotal,
    amount_discount: line.amountDiscount,
    amount_tax: line.amountTax,
    amount_total: line.amountTotal,
  };
}
