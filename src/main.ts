import { requireNode } from './operator/process/node-version.js';

requireNode();
await import('./operator/process/start.js');
