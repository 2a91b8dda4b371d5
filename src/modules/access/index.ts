export { ACCESS } from './access.module.js';
export { AdvanceTestClock } from './application/advance-test-clock.js';
export { type IssuedApiKey, ManageApiKeys, type Rotation } from './application/manage-api-keys.js';
export { ManageOrganizations } from './application/manage-organizations.js';
export { ManageWebhookSecret } from './application/manage-webhook-secret.js';
export { type MovedTestClock, Organizations, TestClocks } from './application/ports.js';
export { API_KEY_ID, type ApiKey, KEY_KINDS, type NewApiKey, RIGHTS, type Right } from './domain/api-key.js';
export {
  MAX_RETENTION_DAYS,
  type Organization,
  type OrganizationSettings,
  REFUND_APPROVALS,
} from './domain/organization.js';
export { MOST_AHEAD_SECONDS } from './domain/test-clock.js';
