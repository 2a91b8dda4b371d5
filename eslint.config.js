/** What Biome has no rule for: expressions whose time grows faster than their text, sizes, durations, and what some code may not use. */
import parser from '@typescript-eslint/parser';
import regexp from 'eslint-plugin-regexp';

/** A connection that was opened past `Database` is of nobody's share: the lists of one organization could take them all. */
const CONNECTIONS = ['DataSource', 'EntityManager', 'QueryRunner'];

export default [
  {
    files: ['**/*.{ts,js}'],
    languageOptions: { parser },
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: true }],
    },
  },
  {
    files: ['src/**/*.ts', 'tools/**/*.ts', 'drill/**/*.ts', 'examples/**/*.ts'],
    rules: { 'max-lines': ['error', 300] },
  },
  {
    files: ['src/**/*.ts', 'tools/**/*.ts', 'drill/**/*.ts', 'examples/**/*.ts'],
    // A function that makes two records of the same columns.
    ignores: ['**/webhook-endpoint.record.ts'],
    rules: { 'max-lines-per-function': ['error', 40] },
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
    // Durations are measured by the monotonic clock. These read the time of day: of an option that ends at an instant,
    // of what the file system gave a file, and the clock itself.
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
