import { createRequire } from 'node:module';

const { version } = createRequire(import.meta.url)('#package') as { version: string };

export const VERSION: string = version;
