import type { Caller } from '../../../shared/caller.js';
import type { ApiKey } from '../domain/api-key.js';
import type { Organization } from '../domain/organization.js';

export interface WebhookSecrets {
  readonly current: string;
  readonly previous: string | null;
  /** When the previous one stops signing, in milliseconds. */
  readonly previousExpiresAt: number | null;
}

export abstract class Organizations {
  abstract add(organization: Organization): Promise<void>;
  abstract exists(id: string): Promise<boolean>;
  /** False while it leaves for another database. */
  abstract isHere(id: string): Promise<boolean>;
  abstract any(): Promise<boolean>;
  abstract byId(id: string): Promise<Organization | undefined>;
  /** Oldest first. */
  abstract all(): Promise<Organization[]>;
  abstract webhookSecrets(id: string): Promise<WebhookSecrets | undefined>;
  /** Puts a new secret in the place of the current one, which becomes the previous. Returns whether there was one. */
  abstract rotateWebhookSecret(id: string, next: { secret: string; previousExpiresAt: number }): Promise<boolean>;
}

/** Keys are found before the caller is known, so these methods are the only ones without one. */
export abstract class ApiKeys {
  /** Stores the key and the digest of its token, never the token. */
  abstract add(key: ApiKey, token: string): Promise<void>;
  abstract byToken(token: string): Promise<ApiKey | undefined>;
  abstract byId(id: string): Promise<ApiKey | undefined>;
  /** Oldest first; the ledger's keys, which belong to none, for null. */
  abstract ofOrganization(organization: string | null): Promise<ApiKey[]>;
  /** Ends the key at the instant (milliseconds). Returns it as it is now: one that was revoked before keeps its time. */
  abstract revoke(id: string, instant: number): Promise<ApiKey>;
  /** Ends the key at the instant (milliseconds), unless it ends before. Returns the key as it is now. */
  abstract expireBy(id: string, instant: number): Promise<ApiKey>;
  abstract anyAllows(origin: string): Promise<boolean>;
  /** What the active keys of the organization and mode list, each once. */
  abstract originsOf(caller: Caller, now: number): Promise<readonly string[]>;
}
