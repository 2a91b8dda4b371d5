/**
 * `npm run check` runs these rules of the comments, of the documents and of the files that deploy
 * Tillgate.
 */
import { COMMENT_RULES } from './comments.js';
import { CONTAINER_RULES } from './containers.js';
import { DEPLOYING_RULES } from './deploying.js';
import { DOCUMENT_RULES } from './documents.js';
import { KUBERNETES_RULES } from './kubernetes.js';

const RULES: Readonly<Record<string, () => void>> = {
  ...COMMENT_RULES,
  ...DOCUMENT_RULES,
  ...DEPLOYING_RULES,
  ...CONTAINER_RULES,
  ...KUBERNETES_RULES,
};

for (const [rule, check] of Object.entries(RULES)) {
  try {
    check();
  } catch (error) {
    process.exitCode = 1;
    console.error(
      `This rule is broken: ${rule}.\n${error instanceof Error ? error.message : error}\n`,
    );
  }
}
