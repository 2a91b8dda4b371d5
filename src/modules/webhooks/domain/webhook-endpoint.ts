import type { CallbackUrls } from '../../../shared/callback-urls.js';
import type { Mode } from '../../../shared/caller.js';
import type { Moment } from '../../../shared/clock.js';
import { type ErrorCode, invalidParams, paramError, Refusal } from '../../../shared/errors.js';
import { idKind, newId } from '../../../shared/id.js';
import { type AttemptResult, isSuccess } from './schedule.js';

export const WEBHOOK_ENDPOINT_ID = idKind('we');
export const MAX_ENDPOINTS = 16;
const ALL = '*';
const DAY = 24 * 60 * 60_000;
/** An endpoint is disabled when all attempts have failed for this long. */
const MAX_FAILING = 5 * DAY;

export const WEBHOOK_ENDPOINT_LIMIT: ErrorCode = {
  code: 'webhook_endpoint_limit',
  kind: 'state',
  meaning: `There are ${MAX_ENDPOINTS} webhook endpoints already. Delete one, or change it.`,
};

export const WEBHOOK_ENDPOINT_EVENTS = {
  'webhook.test': 'A webhook endpoint was tested.',
} as const satisfies Record<string, string>;

export interface WebhookEndpoint {
  readonly id: string;
  readonly mode: Mode;
  /**
   * This is a number from 1 to MAX_ENDPOINTS, unique among the endpoints of an owner and mode,
   * which limits their count.
   */
  readonly place: number;
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly description: string | null;
  readonly disabledReason: string | null;
  /** All attempts have failed since this time, in milliseconds; null if the last one succeeded. */
  readonly failingSince: number | null;
}

/** A caller asks for these values of an endpoint. A null `url` counts as absent. */
export type WantedEndpoint = Partial<
  Pick<WebhookEndpoint, 'url' | 'events' | 'enabled' | 'description'>
>;
export type NewWebhookEndpoint = WantedEndpoint & Pick<WebhookEndpoint, 'url'>;
export type EndpointHealth = Pick<WebhookEndpoint, 'failingSince' | 'disabledReason'>;

/**
 * Makes an endpoint at a place that no other endpoint has. Refuses with webhook_endpoint_limit if
 * there is none.
 */
export function newEndpoint(
  input: NewWebhookEndpoint,
  others: readonly WebhookEndpoint[],
  mode: Mode,
  moment: Moment,
  urls: CallbackUrls,
): WebhookEndpoint {
  requireValid(input, mode, urls);
  const taken = others.map(({ place }) => place);
  const places = Array.from({ length: MAX_ENDPOINTS }, (_, index) => index + 1);
  const free = places.filter((place) => !taken.includes(place));
  // The place is random, so that endpoints that are created at the same time rarely take the same
  // one.
  const place = free[Math.floor(Math.random() * free.length)];
  if (place === undefined) {
    const message = `There are ${MAX_ENDPOINTS} webhook endpoints already.`;
    throw new Refusal(WEBHOOK_ENDPOINT_LIMIT, message, [], others.at(-1)?.id);
  }
  const id = newId(WEBHOOK_ENDPOINT_ID, moment);
  const wanted = { events: [ALL], enabled: true, description: null, ...input };
  return { ...wanted, id, mode, place, disabledReason: null, failingSince: null };
}

/**
 * Changes an endpoint. Enabling it clears its disabledReason. A new URL, or an endpoint that is
 * enabled again, starts without failures.
 */
export function changedEndpoint(
  before: WebhookEndpoint,
  change: WantedEndpoint,
  urls: CallbackUrls,
): WebhookEndpoint {
  requireValid(change, before.mode, urls);
  const after = { ...before, ...change };
  return {
    ...after,
    disabledReason: after.enabled ? null : before.disabledReason,
    failingSince: after.url === before.url && before.enabled ? before.failingSince : null,
  };
}

/**
 * Returns the health of an endpoint after an attempt at `at` (milliseconds); undefined if it does
 * not change.
 */
export function healthAfter(
  result: AttemptResult,
  failingSince: number | null,
  at: number,
): EndpointHealth | undefined {
  if (isSuccess(result))
    return failingSince === null ? undefined : { failingSince: null, disabledReason: null };
  if (failingSince === null) return { failingSince: at, disabledReason: null };
  if (at - failingSince < MAX_FAILING) return undefined;
  const last = result.statusCode === null ? result.error : `status ${result.statusCode}`;
  return {
    failingSince,
    disabledReason: `All attempts have failed for 5 days. The last one: ${last}.`,
  };
}

function requireValid({ url, events = [] }: WantedEndpoint, mode: Mode, urls: CallbackUrls): void {
  const faults = [];
  const urlFault = url ? urls.faultOf(url, mode) : undefined;
  if (urlFault) faults.push(paramError('url', 'invalid_format', `url ${urlFault}.`));
  if (events.includes(ALL) && events.length > 1)
    faults.push(
      paramError('events', 'invalid_value', 'events must be a list of types, or only *.', [ALL]),
    );
  if (faults.length > 0) throw invalidParams(faults);
}
