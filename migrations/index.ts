/**
 * The schema has one file for each module. The files run in the order of the numbers in their
 * names. Add new ones at the end, and never change one that a released version has run.
 */
export { Types1790000000001 } from './0001-types.js';
export { Access1790000000002 } from './0002-access.js';
export { Requests1790000000003 } from './0003-requests.js';
export { Checkout1790000000004 } from './0004-checkout.js';
export { Payments1790000000005 } from './0005-payments.js';
export { Refunds1790000000006 } from './0006-refunds.js';
export { Events1790000000007 } from './0007-events.js';
export { Webhooks1790000000008 } from './0008-webhooks.js';
export { Page1790000000009 } from './0009-page.js';
export { Sandbox1790000000010 } from './0010-sandbox.js';
export { Encryption1790000000011 } from './0011-encryption.js';
