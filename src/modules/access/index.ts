export { ACCESS } from './access.module.js';
export { AdvanceTestClock } from './application/advance-test-clock.js';
export { ManageApiKeys } from './application/manage-api-keys.js';
export { ManageOrganizations } from './application/manage-organizations.js';
export { Organizations, TestClocks, Trail } from './application/ports.js';
export { API_KEY_ID, isOwned, KEY_KINDS, RIGHTS, type Right } from './domain/api-key.js';
export { changesBetween } from './domain/operator-event.js';
export {
  MAX_RETENTION_DAYS,
  type OrganizationChange,
  REFUND_APPROVALS,
} from './domain/organization.js';
export { filledPaymentUrl, requirePaymentUrl } from './domain/payment-url.js';
export { MOST_AHEAD_SECONDS, type TestClock } from './domain/test-clock.js';
export { newWebhookSecret } from './domain/webhook-secret.js';
