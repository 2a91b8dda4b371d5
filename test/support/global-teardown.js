import { rmSync } from 'node:fs';

const globalTeardown = async () => {
  const { postgres, dataDir } = globalThis.testPostgres;
  await postgres.close();
  rmSync(dataDir, { recursive: true, force: true });
};

export default globalTeardown;
