export { MovedClocks } from './adapters/schedule/moved-clocks.js';
export { SANDBOX } from './sandbox.module.js';
