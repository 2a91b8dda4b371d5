export { REFUNDS } from './refunds.module.js';
