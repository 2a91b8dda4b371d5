/** Native ES modules: Nest 12 is published as such. SWC compiles, tsc checks the types (npm run check). */
const config = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // The same as one file each instead of 550, which every test file would load anew.
    '^class-validator$': '<rootDir>/node_modules/class-validator/bundles/class-validator.umd.js',
    '^rxjs(/operators)?$': '<rootDir>/node_modules/rxjs/dist/bundles/rxjs.umd.js',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
      },
    ],
  },
  globalSetup: './test/support/global-setup.js',
  globalTeardown: './test/support/global-teardown.js',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // A fixture's tests run where the fixture is put.
  testPathIgnorePatterns: ['<rootDir>/test/fixtures/'],
  // Far more than a test takes on a busy machine: it ends what hangs.
  testTimeout: 180_000,
  testSequencer: './test/support/sequencer.js',
  // More than there are cores: many tests wait for processes and for time.
  maxWorkers: 3,
};

export default config;
