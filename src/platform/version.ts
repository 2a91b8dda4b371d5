import { createRequire } from 'node:module';

const { version } = createRequire(import.meta.url)('#package') as { version: string };

/** Tillgate's version: the one in package.json. */
export const VERSION: string = version;
