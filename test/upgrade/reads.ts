/** Reads all that clients can see, which an upgrade must not change. */
import type { Account } from './orders.js';

/** The newest pages of a list. */
const PAGES = 5;
const PUBLIC_LISTS = ['checkout_sessions', 'payments', 'refunds', 'events'];
const LEDGER_LISTS = ['payments', 'refunds', 'holds', 'events'];
/** The ledger reads single events by no route. */
const LIST_ONLY = '/ledger/v1/events';
/** Without a filter, this list has pending refunds only. */
const FILTERS: Readonly<Record<string, string>> = { '/ledger/v1/refunds': '&status=all' };

interface List {
  readonly data: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
}

/** Returns the whole body of each read and list, by its path. */
export async function readsOf(url: string, account: Account): Promise<Map<string, string>> {
  const bodies = new Map<string, string>();
  const read = async (path: string, key: string) => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    const body = await answer.text();
    bodies.set(path, `${answer.status} ${body}`);
    return body;
  };
  const readAll = async (path: string, key: string) => {
    let cursor = '';
    for (let page = 0; page < PAGES; page++) {
      const text = await read(`${path}?limit=100${FILTERS[path] ?? ''}${cursor}`, key);
      const { data, next_cursor: next } = JSON.parse(text) as List;
      const ids = path === LIST_ONLY ? [] : data.map(({ id }) => id);
      for (const id of ids) await read(`${path}/${id}`, key);
      if (next === null) return;
      cursor = `&cursor=${next}`;
    }
  };
  for (const name of PUBLIC_LISTS) await readAll(`/v1/${name}`, account.key);
  for (const name of LEDGER_LISTS) await readAll(`/ledger/v1/${name}`, account.ledgerKey);
  return bodies;
}
