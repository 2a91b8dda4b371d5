export { DueTransfers } from './application/ports.js';
export { PAGE, PageModule } from './page.module.js';
