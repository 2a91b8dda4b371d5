import type { Mode } from '../../../shared/caller.js';
import type { Moment } from '../../../shared/clock.js';
import { type ErrorCode, invalidParams, paramError, Refusal } from '../../../shared/errors.js';
import { idKind, newId } from '../../../shared/id.js';
import type { WebhookUrls } from '../../../shared/webhook-urls.js';

export const WEBHOOK_ENDPOINT_ID = idKind('we');
export const MAX_ENDPOINTS = 16;
const ALL = '*';
const DAY = 24 * 60 * 60_000;
/** For so long every attempt must have failed before an endpoint is disabled. */
const MAX_FAILING = 5 * DAY;

export const WEBHOOK_ENDPOINT_LIMIT: ErrorCode = {
  code: 'webhook_endpoint_limit',
  kind: 'state',
  meaning: `There are ${MAX_ENDPOINTS} webhook endpoints already. Delete one, or change it.`,
};

export const WEBHOOK_ENDPOINT_EVENTS = {
  'webhook.test': 'A webhook endpoint was tested.',
} as const satisfies Record<string, string>;

export interface WebhookEndpointState {
  readonly id: string;
  readonly mode: Mode;
  /** One of 1 to MAX_ENDPOINTS, which no two endpoints of an owner share. */
  readonly place: number;
  readonly url: string;
  /** Types, or only `*` for all. */
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly description: string | null;
  /** Why the service disabled it. */
  readonly disabledReason: string | null;
}

export type WebhookEndpointChange = Partial<Pick<WebhookEndpointState, 'url' | 'events' | 'enabled' | 'description'>>;
export type NewWebhookEndpoint = Pick<WebhookEndpointState, 'url' | 'events' | 'enabled' | 'description'>;

/** Where webhooks go. */
export class WebhookEndpoint {
  private constructor(readonly state: WebhookEndpointState) {}

  /** Takes one of the places that the others leave. Refuses when they leave none. */
  static create(
    input: NewWebhookEndpoint,
    others: readonly WebhookEndpoint[],
    mode: Mode,
    moment: Moment,
    urls: WebhookUrls,
  ): WebhookEndpoint {
    requireValid(input, mode, urls);
    const taken = others.map(({ state }) => state.place);
    const places = Array.from({ length: MAX_ENDPOINTS }, (_, index) => index + 1);
    const free = places.filter((place) => !taken.includes(place));
    // Any of them: of several that are created at once, most then take different ones.
    const place = free[Math.floor(Math.random() * free.length)];
    if (place === undefined) {
      const message = `There are ${MAX_ENDPOINTS} webhook endpoints already.`;
      throw new Refusal(WEBHOOK_ENDPOINT_LIMIT, message, [], others.at(-1)?.state.id);
    }
    return new WebhookEndpoint({ ...input, id: newId(WEBHOOK_ENDPOINT_ID, moment), mode, place, disabledReason: null });
  }

  /** An endpoint as it was stored. */
  static restore(state: WebhookEndpointState): WebhookEndpoint {
    return new WebhookEndpoint(state);
  }

  wants(type: string): boolean {
    const { enabled, events } = this.state;
    return enabled && (events.includes(ALL) || events.includes(type));
  }

  /** Enabling it again forgets why it was disabled. */
  change(change: WebhookEndpointChange, urls: WebhookUrls): WebhookEndpoint {
    const state = { ...this.state, ...change };
    requireValid(change, state.mode, urls);
    return new WebhookEndpoint({ ...state, disabledReason: state.enabled ? null : this.state.disabledReason });
  }
}

/** What follows for an endpoint from an attempt at `at`, when all since `failingSince` have failed; milliseconds. */
export function consequenceOf(isSuccess: boolean, failingSince: number | null, at: number) {
  if (isSuccess) return failingSince === null ? 'none' : 'recovered';
  if (failingSince === null) return 'failing';
  return at - failingSince >= MAX_FAILING ? 'disabled' : 'none';
}

function requireValid({ url, events = [] }: WebhookEndpointChange, mode: Mode, urls: WebhookUrls): void {
  const faults = [];
  const urlFault = url === undefined ? undefined : urls.faultOf(url, mode);
  if (urlFault) faults.push(paramError('url', 'invalid_format', `url ${urlFault}.`));
  if (events.includes(ALL) && events.length > 1)
    faults.push(paramError('events', 'invalid_value', 'events must be a list of types, or only *.', [ALL]));
  if (faults.length > 0) throw invalidParams(faults);
}
