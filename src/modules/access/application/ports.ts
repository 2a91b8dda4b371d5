import type { Caller } from '../../../shared/caller.js';
import type { MovedClock } from '../../../shared/clock.js';
import type { Page, PageRequest } from '../../../shared/page.js';
import type { ApiKey } from '../domain/api-key.js';
import type { Organization } from '../domain/organization.js';
import type { TestClock } from '../domain/test-clock.js';

export interface WebhookSecrets {
  readonly current: string;
  readonly previous: string | null;
  /** When the previous one stops signing, in milliseconds. */
  readonly previousExpiresAt: number | null;
}

export abstract class Organizations {
  /** Fails so that the use case decides again when the reference is taken. */
  abstract add(organization: Organization, webhookSecret: string): Promise<void>;
  abstract storeSettings(organization: Organization): Promise<void>;
  abstract exists(id: string): Promise<boolean>;
  /** Refuses with not_found. */
  abstract byId(id: string): Promise<Organization>;
  /** Keeps others from changing it until the open transaction ends. Refuses with not_found. */
  abstract lock(id: string): Promise<Organization>;
  abstract byReference(reference: string): Promise<Organization | undefined>;
  /** Newest first. */
  abstract page(page: PageRequest, reference: string | undefined): Promise<Page<Organization>>;
  /** The distinct origins on the lists of the caller's active keys. */
  abstract origins(caller: Caller): Promise<readonly string[]>;
  /** Oldest first. */
  abstract all(): Promise<Organization[]>;
  /** Those that keep the details of closed sessions for some days only. */
  abstract forgetting(): Promise<Organization[]>;
  abstract webhookSecrets(id: string): Promise<WebhookSecrets | undefined>;
  /** Replaces the current secret, which becomes the previous one. Returns whether the organization exists. */
  abstract rotateWebhookSecret(id: string, next: { secret: string; previousExpiresAt: number }): Promise<boolean>;
}

/** A key is looked up before the caller is known, so these methods take no caller. */
export abstract class ApiKeys {
  /** Stores the key and the digest of its token, never the token. */
  abstract add(key: ApiKey, token: string): Promise<void>;
  abstract byToken(token: string): Promise<ApiKey | undefined>;
  abstract byId(id: string): Promise<ApiKey | undefined>;
  /** Oldest first. With null, those that belong to none. */
  abstract ofOrganization(organization: string | null): Promise<ApiKey[]>;
  /** Newest first. */
  abstract pageOf(organization: string, page: PageRequest): Promise<Page<ApiKey>>;
  /** Revokes the key at the instant (milliseconds). A revoked key keeps its time. Returns the stored key. */
  abstract revoke(id: string, instant: number): Promise<ApiKey>;
  /** Moves the key's expiry to the instant (milliseconds), unless it expires before. Returns the stored key. */
  abstract expireBy(id: string, instant: number): Promise<ApiKey>;
  abstract allowedOrigins(): Promise<ReadonlySet<string>>;
}

export interface MovedTestClock extends MovedClock {
  /** Whether its schedule has not followed it, because a step was cut off. */
  readonly isBehind: boolean;
}

export abstract class TestClocks {
  abstract lock(caller: Caller): Promise<TestClock>;
  abstract store(caller: Caller, clock: TestClock): Promise<void>;
  /** Up to `limit` clocks that were moved, in a fixed order, those after the given one. */
  abstract moved(limit: number, after?: MovedTestClock): Promise<MovedTestClock[]>;
}
