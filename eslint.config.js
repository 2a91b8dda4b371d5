/**
 * Biome has no rule for expressions whose time grows faster than their text, for durations and for
 * chosen properties. Sizes and restricted imports stand beside them (docs/explain/validation.md).
 */
import parser from '@typescript-eslint/parser';
import regexp from 'eslint-plugin-regexp';

/**
 * A connection that was opened past `Database` belongs to no organization's share: the lists of one
 * organization could take all connections.
 */
const CONNECTIONS = ['DataSource', 'EntityManager', 'QueryRunner'];

const OWN = ['src', 'tools', 'drill', 'bench', 'examples'].map((folder) => `${folder}/**/*.ts`);

export default [
  { ignores: ['**/dist/**'] },
  { files: ['**/*.{ts,js}'], languageOptions: { parser } },
  {
    // Tests and benchmarks match only texts that they made themselves.
    files: ['**/*.{ts,js}'],
    ignores: ['bench/**', '**/test/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: true }],
    },
  },
  {
    files: [...OWN, '**/test/**/*.{ts,js}'],
    rules: { 'max-lines': ['error', 300] },
  },
  {
    files: OWN,
    // In this file a function makes two records of the same columns.
    ignores: ['**/webhook-endpoint.record.ts', 'examples/test/**'],
    rules: { 'max-lines-per-function': ['error', 40] },
  },
  {
    // The formatter breaks neither comments nor texts. It leaves an import of one name as it is.
    files: ['**/*.{ts,js}'],
    ignores: ['**/description.ts'],
    rules: { 'max-len': ['error', { code: 1000, comments: 100, ignorePattern: 'biome-ignore' }] },
  },
  {
    files: ['src/**/*.{ts,js}'],
    rules: { 'max-len': ['error', { code: 100, ignorePattern: '^import .* from ' }] },
  },
  {
    files: ['**/src/modules/*/application/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['@nestjs/*'], allowImportNames: ['Injectable'] }] },
      ],
    },
  },
  {
    files: ['**/src/**/*.ts'],
    ignores: [
      'src/persistence/**',
      'src/operator/migrate/**',
      '**/src/modules/*/application/**',
      'client/**',
    ],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'typeorm', importNames: CONNECTIONS }] },
      ],
      'no-restricted-properties': ['error', { property: 'getRepository' }],
    },
  },
  {
    // Durations are measured by the monotonic clock. The ignored files need the time of day: for an
    // option that ends at an instant, for the time of a file, and for the clock itself.
    files: ['**/src/**/*.ts'],
    ignores: [
      'src/operator/cli/arguments.ts',
      'src/operator/embedded-postgres/postgres-process.ts',
      'src/shared/clock.ts',
      'client/**',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        "MemberExpression[object.name='Date'][property.name='now']",
        "NewExpression[callee.name='Date'][arguments.length=0]",
      ],
    },
  },
];
