import { Client } from 'pg';

const globalTeardown = async () => {
  const { postgres, template } = globalThis.testPostgres;
  if (template) {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`DROP DATABASE ${template} WITH (FORCE)`);
    await client.end();
  }
  await postgres.close();
};

export default globalTeardown;
