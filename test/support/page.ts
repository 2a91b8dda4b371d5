/**
 * The customer's side has a session of a shop, and does with its page what a browser without
 * scripts does.
 */
import { ManageOrganizations } from '../../src/modules/access/index.js';
import type { Service } from '../kit/service.js';
import { type Shop } from './shop.js';
import { committed } from './units.js';

export interface Visited {
  readonly status: number;
  readonly headers: Headers;
  readonly location: string | null;
  readonly text: string;
}

/** Returns the path of a session's page, from the header of the answer that made the session. */
export function pathIn(headers: Headers): string {
  const [, url] = /^<([^>]+)>; rel="payment"$/.exec(headers.get('link') ?? '') ?? [];
  if (url === undefined) throw new Error(`No page in ${headers.get('link')}.`);
  return new URL(url).pathname;
}

export async function openPage(
  shop: Shop,
  body?: object,
): Promise<{ readonly id: string; readonly path: string }> {
  const made = await shop.createSession(body);
  return { id: made.body.id, path: pathIn(made.headers) };
}

/** Sets where the pages of the shop lead to pay. */
export function setPaymentUrl({ application }: Service, { organization, mode }: Shop, url: string) {
  const manage = application.get(ManageOrganizations);
  const change = { paymentUrl: { [mode]: url } };
  return committed({ application }, (unit) => manage.change(unit, organization, change));
}

export async function visit(url: string, init: RequestInit = {}): Promise<Visited> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const { status, headers } = response;
  return { status, headers, location: headers.get('location'), text: await response.text() };
}

/** Sends a form without fields. */
export function submit(url: string, init: RequestInit = {}): Promise<Visited> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...init.headers };
  return visit(url, { method: 'POST', body: '', ...init, headers });
}

/** Returns the state that the page shows. */
export function stateIn({ text }: Visited): string | undefined {
  return /data-state="(\w+)"/.exec(text)?.[1];
}
