import { rmSync } from 'node:fs';
import { Client } from 'pg';

const globalTeardown = async () => {
  if (globalThis.testRun === undefined) return;
  const { postgres, template, scratch } = globalThis.testRun;
  if (template) {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`DROP DATABASE ${template} WITH (FORCE)`);
    await client.end();
  }
  await postgres.close();
  rmSync(scratch, { recursive: true, force: true });
};

export default globalTeardown;
