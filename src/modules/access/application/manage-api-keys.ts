import { Injectable } from '@nestjs/common';
import { notFound } from '../../../shared/errors.js';
import type { Page, PageRequest } from '../../../shared/page.js';
import type { Work } from '../../../shared/unit.js';
import {
  ApiKey,
  callerOf,
  KEY_KINDS,
  type KeyKind,
  type KeyLife,
  type NewApiKey,
} from '../domain/api-key.js';
import { type Changes, changesBetween, type OperatorEventType } from '../domain/operator-event.js';
import { Authenticate } from './authenticate.js';
import { ApiKeys, Organizations, TestClocks, Trail } from './ports.js';

const OVERLAP_MS = 7 * 24 * 60 * 60_000;

export interface IssuedApiKey {
  readonly key: ApiKey;
  readonly token: string;
}

interface RotatedApiKey extends IssuedApiKey {
  readonly previousExpiresAt: number;
}

type End = [id: string, how: 'revokedAt' | 'expiresAt', instant: number];

/** The new key ends at the same time as the old one, unless it is given a life. */
interface Rotation extends KeyLife {
  /** The old key still works for this time, in milliseconds, unless it expires before. */
  readonly overlap?: number | undefined;
}

/**
 * Each method refuses with not_found a resource that does not exist, and a key of another kind than
 * the given ones. The time is that of the key's mode, whose test clock may be moved.
 */
@Injectable()
export class ManageApiKeys {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly organizations: Organizations,
    private readonly authenticate: Authenticate,
    private readonly clocks: TestClocks,
    private readonly trail: Trail,
  ) {}

  async create(unit: Work, input: NewApiKey): Promise<IssuedApiKey> {
    if (input.organization !== null) await this.organizations.within(unit, input.organization);
    const moment = await this.clocks.within(unit, callerOf(input));
    const issued = ApiKey.create(input, moment);
    this.apiKeys.add(unit, issued.key, issued.token);
    this.record(unit, 'api_key.created', issued.key, changesBetween({}, membersOf(issued.key)));
    return issued;
  }

  /**
   * Lists the keys of an organization, or with null the keys that belong to none, the newest first.
   */
  async list(organization: string | null, page: Partial<PageRequest> = {}): Promise<Page<ApiKey>> {
    if (organization !== null) await this.organizations.byId(organization);
    return this.apiKeys.list(organization, page);
  }

  async revoke(unit: Work, id: string, kinds: readonly KeyKind[] = KEY_KINDS): Promise<ApiKey> {
    const { caller } = await this.find(id, kinds);
    const { now } = await this.clocks.within(unit, caller);
    const { before, after } = await this.end(unit, id, 'revokedAt', now);
    const isNew = before.state.revokedAt === null;
    if (isNew) this.record(unit, 'api_key.revoked', after, changesOf(before, after));
    return after;
  }

  /**
   * Issues a key like the old one, which still works for the overlap. Refuses with invalid_param a
   * revoked or expired key.
   */
  async rotate(
    unit: Work,
    id: string,
    { overlap = OVERLAP_MS, ...life }: Rotation = {},
    kinds: readonly KeyKind[] = KEY_KINDS,
  ): Promise<RotatedApiKey> {
    const old = await this.find(id, kinds);
    const moment = await this.clocks.within(unit, old.caller);
    const issued = old.rotate(life, moment);
    this.apiKeys.add(unit, issued.key, issued.token);
    const end = moment.now + overlap;
    const { before, after } = await this.end(unit, id, 'expiresAt', end);
    const changes = { id: [id, issued.key.state.id], ...changesOf(before, after) } as const;
    this.record(unit, 'api_key.rotated', old, changes);
    return { ...issued, previousExpiresAt: after.state.expiresAt ?? end };
  }

  /**
   * Ends a key. It stops on this instance at once, and on the others when they look it up again.
   */
  private async end(unit: Work, ...ended: End): ReturnType<ApiKeys['end']> {
    unit.afterCommit(() => this.authenticate.forget());
    return this.apiKeys.end(unit, ...ended);
  }

  private record(unit: Work, type: OperatorEventType, { state }: ApiKey, changes: Changes): void {
    const { id: resource, organization } = state;
    this.trail.record(unit, { type, organization, resource, changes });
  }

  private async find(id: string, kinds: readonly KeyKind[]): Promise<ApiKey> {
    const key = await this.apiKeys.byId(id);
    if (!key || !kinds.includes(key.state.kind)) throw notFound('key');
    return key;
  }
}

const seconds = (instant: number | null) => instant && Math.floor(instant / 1000);
const endsOf = ({ state }: ApiKey) => ({
  expires_at: seconds(state.expiresAt),
  revoked_at: seconds(state.revokedAt),
});
const membersOf = (key: ApiKey) => {
  const { kind, mode, holder, rights, origins } = key.state;
  return { kind, mode, holder, rights, origins, ...endsOf(key) };
};
const changesOf = (before: ApiKey, after: ApiKey): Changes =>
  changesBetween(endsOf(before), endsOf(after));
