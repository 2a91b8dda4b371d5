import { unavailable } from '../../../src/platform/http/error.filter.js';
import type { Examples } from '../operation-examples.js';

export const EXAMPLES: Examples = { readReadiness: { refusals: [unavailable] } };
