import type { Caller, Ledger } from '../../../shared/caller.js';
import type { Write } from '../../../shared/decision.js';
import type { Page, PageRequest } from '../../../shared/page.js';
import type { Event, Happening } from '../domain/event.js';
import type { DueReceiver } from '../domain/receiver.js';
import type { AttemptResult, MadeAttempt } from '../domain/schedule.js';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.js';

export const ORDERS = ['desc', 'asc'] as const;
export type Order = (typeof ORDERS)[number];
export const DEFAULT_ORDER: Order = 'desc';

export interface EventFilter extends PageRequest {
  readonly type: string | undefined;
  /** The id of the resource that changed. */
  readonly object: string | undefined;
  /** Creation time in milliseconds: from inclusive, to exclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly order: Order;
}

/** An attempt that was made to deliver an event. Instants are in milliseconds. */
export interface Attempt {
  /** Null for the URL that was given with the resource. */
  readonly endpoint: string | null;
  readonly attempt: number;
  readonly attemptedAt: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** What followed from it; null when nothing was left to do. */
  readonly nextAttemptAt: number | null;
}

/** What happened to a resource: the event of this type, which comes once. */
export interface Happened {
  readonly object: string;
  readonly type: string;
}

/** The events of the caller's organization. */
export abstract class Events {
  /** In either mode: reads are scoped to the organization. */
  abstract find(caller: Caller, id: string): Promise<Event | undefined>;
  /** What was tried to deliver it, oldest first. */
  abstract attemptsAt(caller: Caller, event: Event): Promise<Attempt[]>;
  /** When it happened, in milliseconds, if it is still on its way to a receiver. In the caller's mode. */
  abstract undeliveredSince(caller: Caller, happened: Happened): Promise<number | undefined>;
  /** In the caller's mode. A page of large events has fewer than the limit, but at least one if there is any. */
  abstract list(caller: Caller, filter: EventFilter): Promise<Page<Event>>;
  /** Removes up to `limit` events of anyone made before the instant, with their deliveries, and returns how many. */
  abstract removeBefore(instant: number, limit: number): Promise<number>;
}

/** An event and whose it is. */
export interface OwnedEvent extends Event {
  readonly organization: string;
}

export interface LedgerEventFilter extends EventFilter {
  readonly organization: string | undefined;
}

/** The events of every organization. */
export abstract class LedgerEvents {
  /** In the ledger's mode. A page of large events has fewer than the limit, but at least one if there is any. */
  abstract list(ledger: Ledger, filter: LedgerEventFilter): Promise<Page<OwnedEvent>>;
  /** For operators: whose event it is. */
  abstract ownerOf(id: string): Promise<Caller | undefined>;
}

/** Where other modules record what they change: an event exists exactly when its change does. */
export abstract class Outbox {
  /** Records the event, and makes it due at its URL if it has one, and at each endpoint that wants its type. */
  abstract record(caller: Caller, happening: Happening): Write;
  /** The same for what happened to resources of one organization, in either mode, at least one. */
  abstract recordAll(organization: string, happenings: readonly OwnedHappening[]): Write;
}

export interface OwnedHappening {
  readonly caller: Caller;
  readonly happening: Happening;
}

/** Tells this process what it has just committed, so that the first attempt does not wait for a look at the database. */
export abstract class DueSignal {
  abstract due(caller: Caller, happening: Happening): void;
  /** The same where somebody asked for it: a receiver that rests is tried at once. */
  abstract dueAt(due: DueReceiver): void;
}

export interface Share {
  readonly due: DueReceiver;
  readonly take: number;
}

/** A page of what is looked through, and the place to go on from: undefined at the end. */
export interface Looked<Found> {
  readonly found: readonly Found[];
  readonly next: string | undefined;
}

/** A delivery that this process alone may attempt until its lease ends. */
export interface ClaimedDelivery extends DueReceiver {
  readonly event: Event;
  readonly url: string;
  readonly attempt: number;
  /** Null for the URL that was given with the resource. */
  readonly endpoint: ClaimedEndpoint | null;
}

export interface ClaimedEndpoint {
  readonly id: string;
  /** Whether it may still be sent to: it was neither deleted nor disabled. */
  readonly isOpen: boolean;
  /** Those that sign now, the current one first. */
  readonly secrets: readonly string[];
  /** Since when all attempts have failed, in milliseconds; null when the last one did not. */
  readonly failingSince: number | null;
}

/** Deliveries of every organization. Instants are in milliseconds. */
export abstract class Deliveries {
  /** Organizations that have something on its way, due or not. */
  abstract organizations(after: string | undefined): Promise<Looked<string>>;
  /** Whom an organization has something due for. What a look costs does not grow with how much that is. */
  abstract due(organization: string, after: string | undefined, now: number): Promise<Looked<DueReceiver>>;
  /** Takes the longest due of each share, which nobody else gets before the lease ends. */
  abstract claim(
    organization: string,
    shares: readonly Share[],
    now: number,
    leaseEnd: number,
  ): Promise<ClaimedDelivery[]>;
  /** Ends what cannot be sent any more, without an attempt. */
  abstract cancel(claimed: ClaimedDelivery): Promise<void>;
  /** Records an attempt and, unless somebody has claimed the delivery since, what follows from it. */
  abstract finish(claimed: ClaimedDelivery, made: MadeAttempt): Promise<void>;
}

/** Where an event goes. Without an endpoint it is the URL that was given with the resource. */
export interface Recipient {
  readonly endpoint: string | null;
  readonly url: string;
}

export abstract class Resending {
  /** The URL that was given with the resource, if the event went there. */
  abstract urlOf(caller: Caller, event: Event): Promise<string | null>;
  /** Makes the event due at the instant (milliseconds), whatever came of it before. */
  abstract send(caller: Caller, event: Event, recipients: readonly Recipient[], at: number): Write;
}

/** The webhook endpoints of the caller: an organization or, with NO_ORGANIZATION, the ledger. */
export abstract class WebhookEndpoints {
  /** In the caller's mode, newest first. There are so few that they are never read in pages. */
  abstract all(caller: Caller): Promise<WebhookEndpoint[]>;
  /** In either mode of an organization, in the ledger's own mode. Refuses with not_found. */
  abstract get(caller: Caller, id: string): Promise<WebhookEndpoint>;
  /** In the caller's mode, until the open transaction ends. Refuses with not_found. */
  abstract lock(caller: Caller, id: string): Promise<WebhookEndpoint>;
  /** Stale when another one has taken its place. */
  abstract add(caller: Caller, endpoint: WebhookEndpoint, secret: string): Write;
  abstract change(caller: Caller, endpoint: WebhookEndpoint): Write;
  /** The secret before goes on signing until the instant, in milliseconds. */
  abstract rotateSecret(caller: Caller, id: string, secret: string, previousExpiresAt: number): Write;
  abstract remove(caller: Caller, id: string): Write;
  /** Those that sign at the instant, the current one first. */
  abstract secretsOf(caller: Caller, id: string, now: number): Promise<readonly string[]>;
}

/** How endpoints fare. Instants are in milliseconds. */
export abstract class EndpointHealth {
  abstract recovered(claimed: ClaimedDelivery): Promise<void>;
  abstract failing(claimed: ClaimedDelivery, since: number): Promise<void>;
  /** Unless it has recovered since. */
  abstract disable(claimed: ClaimedDelivery, reason: string): Promise<void>;
}

export interface Message {
  readonly url: string;
  readonly event: Event;
  /** Whose event it is, where the ledger is told: null for an event of nobody. */
  readonly organization?: string | null;
  /** Each signs the message. */
  readonly secrets: readonly string[];
  /** When it is sent, in milliseconds. */
  readonly at: number;
}

export abstract class Receivers {
  /** Never throws: whatever goes wrong is a result. */
  abstract send(message: Message, signal: AbortSignal): Promise<AttemptResult>;
}

export abstract class SigningSecrets {
  /** The organization's secrets that sign now: the current one first, then a previous one during a rotation. */
  abstract of(organization: string): Promise<readonly string[]>;
}
