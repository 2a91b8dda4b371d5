import { ORGANIZATION_ID } from '../../shared/id.js';
import { Id } from './fields.js';

/** An operation without fields: no body or an empty object, or no query. */
export class NoFieldsRequest {}

/** The owner of the resource in the path. Without it, the resource is searched for in all organizations. */
export const Owner = () =>
  Id(ORGANIZATION_ID, {
    optional: true,
    description:
      'Organization that owns the resource. Where the database is spread over several machines, send it: one machine is asked then, and not all.',
  });

export class OwnerRequest {
  @Owner() organization?: string | null;
}
