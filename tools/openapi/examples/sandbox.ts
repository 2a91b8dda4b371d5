import type { Examples } from '../operation-examples.js';

export const EXAMPLES: Examples = { advanceTestClock: { body: { advance_seconds: 86_400 } } };
