import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Part } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { uuidOf } from '../../../../shared/id.js';
import { Pages, type StoredPage } from '../../application/ports.js';

const OWN = 'organization_id = $1 AND mode = $2';
const OF_SESSION = `FROM checkout_pages WHERE ${OWN} AND session_id = $3`;

const FIND = {
  name: 'page.find',
  text: `SELECT
      coalesce((SELECT payment_url ${OF_SESSION}), (SELECT url FROM payment_urls WHERE ${OWN})) AS "paymentUrl",
      coalesce((SELECT started_at IS NOT NULL ${OF_SESSION}), false) AS "isStarted"`,
};

const START = `INSERT INTO checkout_pages (organization_id, mode, session_id, started_at) VALUES ($1, $2, $3, now())
  ON CONFLICT ON CONSTRAINT checkout_pages_pkey DO UPDATE SET started_at = excluded.started_at`;
const SET_PAYMENT_URL = `INSERT INTO checkout_pages (organization_id, mode, session_id, payment_url)
  VALUES ($1, $2, $3, $4) ON CONFLICT ON CONSTRAINT checkout_pages_pkey DO UPDATE SET payment_url = excluded.payment_url`;
const SET_ORGANIZATION_PAYMENT_URL = `INSERT INTO payment_urls (organization_id, mode, url) VALUES ($1, $2, $3)
  ON CONFLICT ON CONSTRAINT payment_urls_pkey DO UPDATE SET url = excluded.url`;
const FIND_ORGANIZATION_PAYMENT_URL = {
  name: 'page.find_organization_payment_url',
  text: `SELECT url FROM payment_urls WHERE ${OWN}`,
};
const REMOVE_ORGANIZATION_PAYMENT_URL = `DELETE FROM payment_urls WHERE ${OWN}`;

@Injectable()
export class PostgresPages extends Pages {
  constructor(private readonly database: Database) {
    super();
  }

  async find(caller: Caller, session: string): Promise<StoredPage> {
    const [row] = await this.database.read<StoredPage>(caller, FIND, [...scope(caller), uuidOf(session)]);
    return row as StoredPage;
  }

  start(caller: Caller, session: string): Part {
    return { name: 'page.start', owner: caller, sql: START, values: [...scope(caller), uuidOf(session)] };
  }

  setPaymentUrl(caller: Caller, session: string, url: string): Part {
    const values = [...scope(caller), uuidOf(session), url];
    return { name: 'page.set_payment_url', owner: caller, sql: SET_PAYMENT_URL, values };
  }

  setOrganizationPaymentUrl(caller: Caller, url: string | null): Part {
    const own = { owner: caller, values: scope(caller) };
    if (url === null)
      return { ...own, name: 'page.remove_organization_payment_url', sql: REMOVE_ORGANIZATION_PAYMENT_URL };
    const values = [...own.values, url];
    return { ...own, name: 'page.set_organization_payment_url', sql: SET_ORGANIZATION_PAYMENT_URL, values };
  }

  async organizationPaymentUrl(caller: Caller): Promise<string | null> {
    const [row] = await this.database.read<{ url: string }>(caller, FIND_ORGANIZATION_PAYMENT_URL, scope(caller));
    return row?.url ?? null;
  }
}

function scope({ organization, mode }: Caller): readonly string[] {
  return [uuidOf(organization), mode];
}
