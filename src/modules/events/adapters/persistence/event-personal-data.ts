import {
  ANY_RESOURCE,
  type OwnedIds,
  type PersonalData,
} from '../../../../platform/module-declaration.js';

const these = ({ organization, mode, ids }: OwnedIds) =>
  `organization_id = ${organization} AND mode = ${mode} AND id = ANY (${ids}::uuid[])`;

/** The members of `data` besides the resource, in `details`, are a part of the event. */
export const EVENT_PERSONAL_DATA: PersonalData = {
  object: 'event',
  of: ANY_RESOURCE,
  belonging: { table: 'events', column: 'object_id' },
  clear: (ids) => `UPDATE events SET reason = NULL WHERE ${these(ids)} AND reason IS NOT NULL`,
  remove: (ids) => `DELETE FROM events WHERE ${these(ids)}`,
  json: [
    { table: 'events', column: 'data', about: 'id', key: 'id::text' },
    { table: 'events', column: 'details', about: 'id', key: 'id::text', root: 'event' },
  ],
  members: { reason: () => null },
};
