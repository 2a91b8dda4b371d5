export { SANDBOX } from './sandbox.module.js';
