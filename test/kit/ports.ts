/**
 * Production's modules run through the Nest testing module, with the test's own ports in the place
 * of the database.
 */
import { Test, type TestingModule } from '@nestjs/testing';
import { AppModule } from '../../src/app.module.js';
import { Database } from '../../src/persistence/database.js';
import { Encryption } from '../../src/persistence/encryption/encryption.js';
import { readConfig } from '../../src/platform/config.js';

export async function withPorts(
  ports: readonly (readonly [token: unknown, port: object])[],
): Promise<TestingModule> {
  const builder = Test.createTestingModule({ imports: [AppModule.register(readConfig({}), '')] });
  const absent = [Database, Encryption].map((token) => [token, {}] as const);
  for (const [token, port] of [...absent, ...ports]) builder.overrideProvider(token).useValue(port);
  return builder.compile();
}
