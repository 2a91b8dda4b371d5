/** The tests in these folders run only if the command names the folder or a file in it. */
const LONG = ['test/long', 'test/load'];

const config = {
  testEnvironment: 'node',
  testRunner: './test/support/jest/runner.js',
  // The runner loads TypeScript itself.
  transform: {},
  globalSetup: './test/support/jest/global-setup.js',
  globalTeardown: './test/support/jest/global-teardown.js',
  testMatch: [
    '<rootDir>/test/**/*.test.ts',
    // These packages and programs have their tests beside them.
    '<rootDir>/{client,conformance,examples,mcp}/test/*.test.ts',
  ],
  testPathIgnorePatterns: [
    // A fixture's tests run where the fixture is put.
    '<rootDir>/test/fixtures/',
    ...LONG.filter((folder) => !process.argv.some((argument) => argument.includes(folder))).map(
      (folder) => `<rootDir>/${folder}/`,
    ),
  ],
  // Far more than a test takes on a busy machine: it ends what hangs.
  testTimeout: 600_000,
  testSequencer: './test/support/jest/sequencer.js',
  // More than there are cores: many tests wait for processes and for time.
  maxWorkers: 3,
};

export default config;
