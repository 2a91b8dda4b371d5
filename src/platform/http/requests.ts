import { ORGANIZATION_ID } from '../../shared/id.js';
import { Id } from './fields.js';

/** The body of an operation without fields: no body, or an empty object. */
export class NoFieldsRequest {}

/** The ledger names the organization, because tables are keyed by it first. */
export class OfOrganizationQuery {
  @Id(ORGANIZATION_ID, { description: 'Organization that owns the resource.' }) organization!: string;
}
