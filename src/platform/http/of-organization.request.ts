import { Formatted } from './rules.js';

/** Whose resource the ledger reads: tables are keyed by organization first. */
export class OfOrganizationQuery {
  @Formatted('org-id', { description: 'Whose resource it is.' }) organization!: string;
}
