import { ORGANIZATION_ID } from '../shared/id.js';
import { Id } from './fields.js';

/** The body of an operation without fields: no body, or an empty object. */
export class NoFieldsRequest {}

/** Whose the resource in the path is. Without it the ledger's resource is looked for in all organizations. */
export const Owner = () =>
  Id(ORGANIZATION_ID, {
    optional: true,
    description:
      'Organization that owns the resource. Where the database is spread over several machines, send it: one machine is asked then, and not all.',
  });

export class OwnerQuery {
  @Owner() organization?: string;
}

/** The body of an operation whose only field is the owner. */
export class OwnerRequest {
  @Owner() organization?: string | null;
}

/** The ledger names the organization, because tables are keyed by it first. */
export class OfOrganizationQuery {
  @Id(ORGANIZATION_ID, { description: 'Organization that owns the resource.' }) organization!: string;
}
