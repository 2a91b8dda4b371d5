import { jsonColumn } from '../../../../persistence/personal-data.js';
import { ANY_RESOURCE, type PersonalData } from '../../../../platform/module-declaration.js';

const OWN = 'organization_id = $1 AND mode = $2';
const THESE = `${OWN} AND id = ANY ($3::uuid[])`;

/** The members of `data` besides the resource, in `details`, are a part of the event. */
export const EVENT_PERSONAL_DATA: PersonalData = {
  object: 'event',
  of: ANY_RESOURCE,
  belonging: `SELECT id FROM events WHERE ${OWN} AND object_id = ANY ($3::uuid[]) AND id > $4 ORDER BY id LIMIT $5`,
  clear: `UPDATE events SET reason = NULL WHERE ${THESE} AND reason IS NOT NULL`,
  remove: `DELETE FROM events WHERE ${THESE}`,
  json: [
    jsonColumn({ table: 'events', column: 'data', about: 'id', key: 'id::text' }),
    jsonColumn({ table: 'events', column: 'details', about: 'id', key: 'id::text', root: 'event' }),
  ],
  members: { reason: () => null },
};
