import { requireNode } from './process/node-version.js';

requireNode();
await import('./process/start.js');
