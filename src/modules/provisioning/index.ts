export { ManageMerchants } from './application/manage-merchants.js';
export { PROVISIONING } from './provisioning.module.js';
