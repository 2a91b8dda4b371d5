export { PAGE } from './page.module.js';
