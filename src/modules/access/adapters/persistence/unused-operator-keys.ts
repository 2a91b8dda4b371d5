import { madeAt } from '../../../../persistence/measurement.js';
import type { Diagnosis } from '../../../../platform/module-declaration.js';
import { idOf } from '../../../../shared/id.js';
import { API_KEY_ID } from '../../domain/api-key.js';

const DAYS = 90;

interface Row {
  readonly id: string;
  readonly holder: string;
}

export const UNUSED_OPERATOR_KEYS: Diagnosis<Row> = {
  name: 'operator keys',
  text: `SELECT id, holder FROM api_keys
    WHERE kind = 'operator' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
      AND coalesce(last_used_at, ${madeAt('id')}) < now() - interval '${DAYS} days' ORDER BY id`,
  well: 'No operator key lies unused.',
  warnings: (rows) =>
    rows.map(({ id, holder }) => ({
      found:
        `The operator key ${idOf(API_KEY_ID, id)}, held by ${holder}, was ` +
        `not used for ${DAYS} days.`,
      advice: 'It can make keys of every organization: `key revoke` it, unless it is still needed.',
    })),
};
