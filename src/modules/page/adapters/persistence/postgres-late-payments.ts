import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Part, Sql } from '../../../../platform/database/statement.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { ownId } from '../../../../shared/own-id.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import { LatePayments, type PageKey } from '../../application/ports.js';

const EXPECT: Sql = (
  organization,
  mode,
  session,
  due,
) => `INSERT INTO late_payments (organization_id, mode, session_id, due_at)
  VALUES (${organization}, ${mode}, ${session}, ${due}) ON CONFLICT ON CONSTRAINT late_payments_pkey DO NOTHING`;
const REMOVE: Sql = (organization, mode, session) =>
  `DELETE FROM late_payments WHERE organization_id = ${organization} AND mode = ${mode} AND session_id = ${session}`;
const DUE = {
  name: 'page.late_payments_due',
  text: `/* every organization: one job serves all of them */
    SELECT organization_id AS organization, session_id AS session FROM late_payments WHERE due_at <= $1
    ORDER BY random() LIMIT $2`,
};

type Row = Readonly<Record<'organization' | 'session', string>>;

@Injectable()
export class PostgresLatePayments extends LatePayments {
  constructor(private readonly database: Database) {
    super();
  }

  expect(key: PageKey, dueAt: number): Part {
    const values = [...valuesOf(key), new Date(dueAt)];
    return { name: 'page.expect_late_payment', owner: key.caller, sql: EXPECT, values };
  }

  remove(key: PageKey): Part {
    return { name: 'page.remove_late_payment', owner: key.caller, sql: REMOVE, values: valuesOf(key) };
  }

  async due(now: number, limit: number): Promise<PageKey[]> {
    const rows = await this.database.read<Row>({ queue: DUE.name }, DUE, [new Date(now), limit]);
    return rows.map((row) => {
      const caller = { organization: idOf(ORGANIZATION_ID, row.organization), mode: 'test' } as const;
      return { caller, session: ownId(caller, idOf(CHECKOUT_SESSION_ID, row.session, 'test')) };
    });
  }
}

function valuesOf({ caller: { organization, mode }, session }: PageKey): readonly string[] {
  return [uuidOf(organization), mode, uuidOf(session)];
}
