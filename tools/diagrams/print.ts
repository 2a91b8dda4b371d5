/**
 * `node dist/tools/diagrams/print.js [folder]` writes the diagrams that are made from the code into
 * the pages that show them.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { paymentMoney } from './payments.js';
import { approvalStates, refundStates } from './refunds.js';

/** Each page and the diagram that it shows after a comment with its name. */
const SHOWN: readonly [page: string, name: string, diagram: () => string][] = [
  ['docs/guides/refunds-and-the-ledger.md', 'refund-states', refundStates],
  ['docs/guides/who-may-refund.md', 'approval-states', approvalStates],
  ['docs/guides/chargeback-during-a-refund.md', 'payment-money', paymentMoney],
];

const [folder = '.'] = process.argv.slice(2);

for (const [page, name, diagram] of SHOWN) {
  const [before, after, ...others] = readFileSync(page, 'utf8').split(
    new RegExp(`(?<=<!-- npm run generate: ${name} -->\n\n\`\`\`mermaid\n).*?(?=\n\`\`\`)`, 's'),
  );
  if (after === undefined || others.length > 0)
    throw new Error(`${page} must have one place for the diagram ${name}.`);
  const path = join(folder, page);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${before}${diagram()}${after}`);
}
