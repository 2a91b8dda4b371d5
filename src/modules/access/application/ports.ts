import type { Caller } from '../../../shared/caller.js';
import type { Moment } from '../../../shared/clock.js';
import type { CreatedPageRequest, Page, PageRequest } from '../../../shared/page.js';
import type { Unit, Work } from '../../../shared/unit.js';
import type { ApiKey } from '../domain/api-key.js';
import type {
  NewOperatorEvent,
  OperatorEvent,
  OperatorEventType,
} from '../domain/operator-event.js';
import type { Organization } from '../domain/organization.js';
import type { TestClock } from '../domain/test-clock.js';

export abstract class Organizations {
  /**
   * Stores the organization now, so that rows of the same unit can refer to it. Throws Stale when
   * the reference is taken.
   */
  abstract add(unit: Work, organization: Organization, webhookSecret: string): Promise<void>;
  abstract storeSettings(unit: Work, organization: Organization): void;
  abstract exists(caller: Caller): Promise<boolean>;
  /** Reads an organization. Refuses with not_found. */
  abstract byId(id: string): Promise<Organization>;
  /** Reads an organization as the unit sees it, which may have added it. Refuses with not_found. */
  abstract within(unit: Work, id: string): Promise<Organization>;
  /**
   * Locks an organization, so that nobody else changes it until the unit is committed. Refuses with
   * not_found.
   */
  abstract lock(unit: Work, id: string): Promise<Organization>;
  /** Lists organizations, the newest first, or all of them without a limit. */
  abstract list(page: Partial<PageRequest>, reference?: string): Promise<Page<Organization>>;
  /** Returns the distinct origins on the lists of the caller's active keys. */
  abstract origins(caller: Caller): Promise<readonly string[]>;
  /**
   * Lists the organizations that keep the details of closed sessions for a limited number of days.
   */
  abstract forgetting(): Promise<Organization[]>;
  /**
   * Returns the secrets that sign at the instant (milliseconds), the current one first. Refuses
   * with not_found.
   */
  abstract webhookSecrets(id: string, now: number): Promise<readonly string[]>;
  /** Replaces the current secret now; it becomes the previous one. Refuses with not_found. */
  abstract rotateWebhookSecret(
    unit: Work,
    id: string,
    next: { secret: string; previousExpiresAt: number },
  ): Promise<void>;
}

/** A key is looked up before the caller is known, so the reads take no caller. */
export abstract class ApiKeys {
  /** Stores the key and the digest of its token, never the token. */
  abstract add(unit: Work, key: ApiKey, token: string): void;
  abstract byToken(token: string): Promise<ApiKey | undefined>;
  abstract byId(id: string): Promise<ApiKey | undefined>;
  /**
   * Lists keys, the newest first: with null the keys that belong to no organization, and without a
   * limit all.
   */
  abstract list(organization: string | null, page: Partial<PageRequest>): Promise<Page<ApiKey>>;
  /**
   * Ends the key at the instant (milliseconds), unless it was revoked already or expires before.
   * Writes it now and returns the key before and after that.
   */
  abstract end(
    unit: Work,
    id: string,
    how: 'revokedAt' | 'expiresAt',
    instant: number,
  ): Promise<{ readonly before: ApiKey; readonly after: ApiKey }>;
  abstract allowedOrigins(): Promise<ReadonlySet<string>>;
}

export interface OperatorEventFilter extends CreatedPageRequest {
  readonly organization: string | undefined;
  readonly type: OperatorEventType | undefined;
  readonly order: 'asc' | 'desc';
}

/** The trail has every change of organizations, keys, webhook secrets and endpoints, for ever. */
export abstract class Trail {
  /** Records the change with the author of the unit. Throws if the unit has none. */
  abstract record(unit: Work, event: NewOperatorEvent): void;
  /** Reads an event. Refuses with not_found. */
  abstract byId(id: string): Promise<OperatorEvent>;
  /** Lists events. A reader in ascending order misses none, whatever is committed meanwhile. */
  abstract list(filter: OperatorEventFilter): Promise<Page<OperatorEvent>>;
}

export abstract class TestClocks {
  /** Reads the time of a caller on the connection of the unit. Live mode has the real time. */
  abstract within(unit: Work, caller: Caller): Promise<Moment>;
  abstract lock(unit: Unit): Promise<TestClock>;
  abstract store(unit: Unit, clock: TestClock): void;
  /** Lists up to `limit` clocks that were moved, in a fixed order, after the given one. */
  abstract moved(limit: number, after?: Caller): Promise<readonly (Caller & TestClock)[]>;
}
