import { unavailable } from '../../../src/request/error.filter.js';
import type { Examples } from '../operation-examples.js';

export const EXAMPLES: Examples = { readReadiness: { refusals: [unavailable] } };
