import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { Encryption } from '../../../../persistence/encryption/encryption.js';
import { type Places, statement } from '../../../../persistence/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, Clock } from '../../../../shared/clock.js';
import { FIRST_UUID, idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { Unit } from '../../../../shared/unit.js';
import { ManageOrganizations } from '../../../access/index.js';
import { EVENT_ID } from '../../../events/index.js';
import {
  type ClaimedDelivery,
  DeliveryQueue,
  type PolledPage,
  type Share,
} from '../../application/ports.js';
import { type DueReceiver, dueReceiver } from '../../domain/receiver.js';
import type { MadeAttempt } from '../../domain/schedule.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';
import {
  type ClaimedRow,
  claimShares,
  type FinishedAttempt,
  FinishedAttempts,
} from './delivery-leases.js';
import { ATTEMPTS } from './metrics.js';
import { activeSecrets } from './typeorm-webhook-endpoints.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

/**
 * One page has so many receivers. Further receivers of an organization are on the pages that
 * follow.
 */
const RECEIVERS = 1_000;
/**
 * One page reads so many deliveries, so that its cost does not grow with the number of unfinished
 * deliveries.
 */
const DELIVERIES = 500;
const ORGANIZATIONS = statement<{ readonly after: string }>(
  'webhooks.organizations',
  ({ after }) => `/* every organization: finds those with unfinished deliveries */
    SELECT organization_id AS organization, count(*)::integer AS deliveries FROM (
      SELECT organization_id FROM webhook_deliveries
      WHERE next_attempt_at IS NOT NULL AND organization_id > ${after}
      ORDER BY organization_id LIMIT ${DELIVERIES}) AS waiting
    GROUP BY organization_id ORDER BY organization_id`,
);

interface DuePage {
  readonly organization: string;
  readonly after: string;
  readonly limit: number;
  readonly now: Date;
}

/**
 * Finds the next receiver in the index, however many deliveries the last one has. DISTINCT would
 * read them all.
 */
const nextReceiver = (organization: string, after: string) => `SELECT receiver, next_attempt_at
  FROM webhook_deliveries
  WHERE organization_id = ${organization} AND next_attempt_at IS NOT NULL AND receiver > ${after}
  ORDER BY receiver, next_attempt_at LIMIT 1`;
const DUE = statement<DuePage>(
  'webhooks.due',
  ({ organization, after, limit, now }) => `/* both modes: a receiver has deliveries of either */
    WITH RECURSIVE step AS (
      (${nextReceiver(organization, after)})
      UNION ALL
      SELECT next.receiver, next.next_attempt_at
      FROM step CROSS JOIN LATERAL (${nextReceiver(organization, 'step.receiver')}) AS next
    ) SELECT receiver AS stored, next_attempt_at <= ${now} AS "isDue" FROM step LIMIT ${limit}`,
);

interface Scope {
  readonly organization: string;
  readonly mode: string;
}

interface Advance extends Scope {
  readonly seconds: number;
  readonly now: Date;
}

/** Deliveries to the ledger follow real time. */
const toOrganization = ({ organization, mode }: Places<Scope>) =>
  `organization_id = ${organization} AND mode = ${mode} AND receiver NOT LIKE 'ledger %'`;
/**
 * While an attempt is under way, from its claim until it is recorded, next_attempt_at is the end of
 * the lease.
 */
const notUnderWay = ({ organization, mode }: Places<Scope>) => `(attempts = 0 OR EXISTS (
  SELECT FROM webhook_attempts AS made
  WHERE made.organization_id = ${organization} AND made.mode = ${mode}
    AND made.event_id = delivery.event_id AND made.endpoint_id = delivery.endpoint_id
    AND made.attempt = delivery.attempts))`;
/** The times are in UTC, because Citus refuses arithmetic that depends on a time zone. */
const ADVANCE = statement<Advance>(
  'webhooks.advance',
  (to) => `UPDATE webhook_deliveries AS delivery SET next_attempt_at =
    (next_attempt_at AT TIME ZONE 'UTC' - make_interval(secs => ${to.seconds})) AT TIME ZONE 'UTC'
  WHERE ${toOrganization(to)} AND next_attempt_at > ${to.now} AND ${notUnderWay(to)}`,
);
const BUSY = statement<Omit<Advance, 'seconds'>>(
  'webhooks.busy',
  (own) => `SELECT FROM webhook_deliveries AS delivery
    WHERE ${toOrganization(own)} AND next_attempt_at IS NOT NULL
      AND (next_attempt_at <= ${own.now} OR NOT ${notUnderWay(own)}) LIMIT 1`,
);
const NO_ATTEMPT = {
  due_at: null,
  attempted_at: null,
  status_code: null,
  error: null,
  duration_ms: null,
  next_attempt_at: null,
};
const POLL = { queue: ORGANIZATIONS.name };

@Injectable()
export class PostgresDeliveryQueue extends DeliveryQueue {
  private readonly logger = new Logger('Webhooks');
  private readonly finished: FinishedAttempts;

  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
    private readonly manageOrganizations: ManageOrganizations,
    private readonly clock: Clock,
    private readonly callerClock: CallerClock,
  ) {
    super();
    this.finished = new FinishedAttempts(database);
  }

  async organizations(after: string | undefined): Promise<PolledPage<string>> {
    const last = after === undefined ? FIRST_UUID : uuidOf(after);
    const rows = await this.database.read<{ organization: string; deliveries: number }>(
      POLL,
      ...ORGANIZATIONS.of({ after: last }),
    );
    const found = rows.map(({ organization }) => idOf(ORGANIZATION_ID, organization));
    const isFull = rows.reduce((sum, { deliveries }) => sum + deliveries, 0) === DELIVERIES;
    return { found, next: isFull ? found.at(-1) : undefined };
  }

  async due(
    organization: string,
    after: string | undefined,
    now: number,
  ): Promise<PolledPage<DueReceiver>> {
    const page = { after: after ?? '', limit: RECEIVERS, now: new Date(now) };
    const rows = await this.database.read<{ stored: string; isDue: boolean }>(
      { queue: organization },
      ...DUE.of({ organization: uuidOf(organization), ...page }),
    );
    const found = rows
      .filter(({ isDue }) => isDue)
      .map(({ stored }) => dueReceiver(organization, stored));
    return { found, next: rows[RECEIVERS - 1]?.stored };
  }

  async claim(
    organization: string,
    shares: readonly Share[],
    now: number,
    leaseEnd: number,
  ): Promise<ClaimedDelivery[]> {
    const lease = { now: new Date(now), leaseEnd: new Date(leaseEnd) };
    const rows = await claimShares(this.database, organization, shares, lease);
    let own: Promise<readonly string[]> | undefined;
    const ownSecrets = () => {
      own ??= this.manageOrganizations.webhookSecrets(organization);
      return own;
    };
    const claimed = await Promise.allSettled(
      rows.map((row) => this.claimedOf(organization, row, now, ownSecrets)),
    );
    return claimed.flatMap((one) => {
      if (one.status === 'fulfilled') return [one.value];
      // For example, the secret of the delivery cannot be decrypted. The delivery is due again
      // after the lease.
      this.logger.warn(one.reason);
      return [];
    });
  }

  async end(claimed: ClaimedDelivery, outcome: 'canceled' | 'given_up'): Promise<void> {
    await this.record(claimed, { ...NO_ATTEMPT, outcome });
    ATTEMPTS.inc({ mode: claimed.event.mode, outcome });
  }

  async finish(claimed: ClaimedDelivery, made: MadeAttempt): Promise<void> {
    const { statusCode, error, durationMs, outcome } = made;
    const next = toDate(made.nextAttemptAt);
    await this.record(claimed, {
      due_at: toDate(made.dueAt),
      outcome,
      attempted_at: new Date(made.attemptedAt),
      status_code: statusCode,
      error,
      duration_ms: durationMs,
      next_attempt_at: next,
    });
    ATTEMPTS.inc({ mode: claimed.event.mode, outcome: outcome ?? 'retried' });
    if (outcome === 'delivered') return;
    const why = String(statusCode ?? error).replace(/\.$/, '');
    const { event, receiver, attempt } = claimed;
    this.logger.warn(
      `${event.id} to ${receiver} failed: ${why}. ` +
        `Attempt ${attempt}, next attempt ${next?.toISOString() ?? 'none'}.`,
    );
  }

  report(error: unknown): void {
    this.logger.warn(error);
  }

  advance(unit: Unit, seconds: number): void {
    const advance = ADVANCE.of({ ...this.scopeOf(unit), seconds });
    this.database.atCommit(unit, (transaction) => transaction.send(...advance));
  }

  async isIdle(caller: Caller): Promise<boolean> {
    return (await this.database.read(caller, ...BUSY.of(this.scopeOf(caller)))).length === 0;
  }

  private scopeOf({ organization, mode }: Caller) {
    return { organization: uuidOf(organization), mode, now: new Date(this.clock.now()) };
  }

  private record(
    { organization, event, endpoint, attempt }: ClaimedDelivery,
    made: Omit<FinishedAttempt, 'mode' | 'event_id' | 'endpoint_id' | 'attempt'>,
  ): Promise<void> {
    const { mode, id } = event;
    const endpointId = endpoint ? uuidOf(endpoint.id) : NO_ENDPOINT;
    const delivery = { mode, event_id: uuidOf(id), endpoint_id: endpointId, attempt };
    return this.finished.write(organization, { ...delivery, ...made });
  }

  private async claimedOf(
    organization: string,
    { url, stored, attempt, dueAt, endpointId, enabled, failingSince, ...row }: ClaimedRow,
    now: number,
    ownSecrets: () => Promise<readonly string[]>,
  ): Promise<ClaimedDelivery> {
    const due = dueReceiver(organization, stored);
    const { id, type, mode, sequence, data, reason, details } = row;
    const event = { id: idOf(EVENT_ID, id), type, mode, sequence, data, reason, details };
    const claimed = { ...due, url, attempt, dueAt, event };
    if (endpointId === null) return { ...claimed, secrets: await ownSecrets(), endpoint: null };
    const { ahead } = await this.callerClock.at({ organization: due.owner, mode });
    const secrets = enabled ? activeSecrets(this.encryption, row, now + ahead) : [];
    return {
      ...claimed,
      secrets,
      endpoint: { id: idOf(WEBHOOK_ENDPOINT_ID, endpointId), enabled, failingSince },
    };
  }
}

const toDate = (instant: number | null) => (instant === null ? null : new Date(instant));
