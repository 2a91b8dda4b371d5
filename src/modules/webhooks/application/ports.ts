import type { Caller } from '../../../shared/caller.js';
import type { Page, PageRequest } from '../../../shared/page.js';
import type { Unit } from '../../../shared/unit.js';
import type { Event, NewEvent } from '../../events/index.js';
import type { DueReceiver } from '../domain/receiver.js';
import type { AttemptResult, MadeAttempt } from '../domain/schedule.js';
import type { EndpointHealth, WebhookEndpoint } from '../domain/webhook-endpoint.js';

/** This is an attempt to deliver an event. Its instants are in milliseconds. */
export interface Attempt extends Omit<AttemptResult, 'retryAfter'> {
  /** This is null for a notify_url. */
  readonly endpoint: string | null;
  readonly attempt: number;
  readonly attemptedAt: number;
  /** This is null if the delivery ended with this attempt. */
  readonly nextAttemptAt: number | null;
}

export const SHOWN_ATTEMPTS = 20;

export interface Share {
  readonly due: DueReceiver;
  readonly take: number;
}

/**
 * This is a page of a poll. `next` is where the next page begins; undefined after the last page.
 */
export interface PolledPage<Found> {
  readonly found: readonly Found[];
  readonly next: string | undefined;
}

/** Only this process may attempt the delivery until its lease ends. */
export interface ClaimedDelivery extends DueReceiver {
  readonly event: Event;
  readonly url: string;
  readonly attempt: number;
  /**
   * The delivery was due at this time, in milliseconds of real time. It is null for a first
   * attempt, which is due at once.
   */
  readonly dueAt: number | null;
  readonly secrets: readonly string[];
  /** This is null for a notify_url. */
  readonly endpoint: ClaimedEndpoint | null;
}

/** An endpoint that was deleted is not enabled either. */
export type ClaimedEndpoint = Pick<WebhookEndpoint, 'id' | 'enabled' | 'failingSince'>;

/**
 * Holds the unfinished deliveries of every organization. Processes share them by leases. Instants
 * are in milliseconds.
 */
export abstract class DeliveryQueue {
  /** Lists organizations with unfinished deliveries, due or not. */
  abstract organizations(after: string | undefined): Promise<PolledPage<string>>;
  /**
   * Lists receivers with due deliveries of an organization. The cost does not grow with the number
   * of deliveries.
   */
  abstract due(
    organization: string,
    after: string | undefined,
    now: number,
  ): Promise<PolledPage<DueReceiver>>;
  /**
   * Claims the longest due deliveries of each share. No other process gets them before the lease
   * ends.
   */
  abstract claim(
    organization: string,
    shares: readonly Share[],
    now: number,
    leaseEnd: number,
  ): Promise<ClaimedDelivery[]>;
  abstract end(claimed: ClaimedDelivery, outcome: 'canceled' | 'given_up'): Promise<void>;
  /**
   * Records an attempt and, unless another process has claimed the delivery meanwhile, its outcome.
   * Logs a failure.
   */
  abstract finish(claimed: ClaimedDelivery, made: MadeAttempt): Promise<void>;
  /** Logs something that is no receiver's fault. */
  abstract report(error: unknown): void;
  /**
   * Makes deliveries to the caller that are due later due earlier by `seconds`. Attempts that are
   * under way do not change.
   */
  abstract advance(unit: Unit, seconds: number): void;
  /** Tells if no delivery to the caller is due or under way. */
  abstract isIdle(caller: Caller): Promise<boolean>;
}

/** This is a destination of an event. `endpoint` is null for a notify_url. */
export interface Recipient {
  readonly endpoint: string | null;
  readonly url: string;
  readonly attempts: number;
}

export abstract class EventDeliveries {
  /** Returns the last SHOWN_ATTEMPTS attempts of each delivery of the event, the oldest first. */
  abstract attemptsAt(caller: Caller, event: Event): Promise<Attempt[]>;
  /**
   * Returns the time of an event that the resource has at most once, in milliseconds, if a delivery
   * of the event is unfinished.
   */
  abstract undeliveredSince(
    caller: Caller,
    event: Pick<NewEvent, 'object' | 'type'>,
  ): Promise<number | undefined>;
  /**
   * Finds the enabled endpoints that subscribe to the event's type, and the notify_url to which it
   * was sent; with `endpoint`, only that one. Locks the deliveries to them.
   */
  abstract lockRecipients(
    unit: Unit,
    event: Event,
    endpoint?: string,
  ): Promise<readonly Recipient[]>;
  /**
   * Makes deliveries to the recipients due at `at` (milliseconds), whatever the outcome of earlier
   * ones.
   */
  abstract send(unit: Unit, event: Event, recipients: readonly Recipient[], at: number): void;
}

/**
 * Stores the webhook endpoints of the caller: an organization or, with NO_ORGANIZATION, the ledger.
 */
export abstract class WebhookEndpoints {
  /**
   * Returns all endpoints of the caller's mode, the newest first. There are at most MAX_ENDPOINTS.
   */
  abstract all(caller: Caller): Promise<WebhookEndpoint[]>;
  /** Returns a page of the endpoints of the caller's mode, the newest first. */
  abstract list(caller: Caller, page: PageRequest): Promise<Page<WebhookEndpoint>>;
  /**
   * Finds an endpoint in either mode of an organization, or in the ledger's mode. Refuses with
   * not_found.
   */
  abstract get(caller: Caller, id: string): Promise<WebhookEndpoint>;
  /**
   * Locks an endpoint of the caller's mode until the end of the open transaction. Refuses with
   * not_found.
   */
  abstract lock(unit: Unit, id: string): Promise<WebhookEndpoint>;
  /** Stores a new endpoint. Throws Stale if another endpoint has the same `place`. */
  abstract add(unit: Unit, endpoint: WebhookEndpoint, secret: string): void;
  abstract change(unit: Unit, endpoint: WebhookEndpoint): void;
  /** Stores a new secret. The previous one also signs until `previousExpiresAt` (milliseconds). */
  abstract rotateSecret(unit: Unit, id: string, secret: string, previousExpiresAt: number): void;
  abstract remove(unit: Unit, id: string): void;
  /** Records the health of an endpoint of the owner, unless it has changed since the claim. */
  abstract recordHealth(
    owner: Caller,
    claimed: ClaimedEndpoint,
    health: EndpointHealth,
  ): Promise<void>;
  /**
   * Returns the secrets that sign at `now` (milliseconds), the current one first. Refuses with
   * not_found.
   */
  abstract secretsOf(caller: Caller, id: string, now: number): Promise<readonly string[]>;
}
