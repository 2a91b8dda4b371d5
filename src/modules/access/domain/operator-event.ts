import { idKind } from '../../../shared/id.js';
import type { Author } from '../../../shared/unit.js';

export const OPERATOR_EVENT_ID = idKind('oev');

export const OPERATOR_EVENT_TYPES = {
  'organization.created': 'An organization was created.',
  'organization.updated': 'Settings of an organization were changed.',
  'api_key.created': 'A key was created.',
  'api_key.rotated': 'A key was replaced. `changes.id` has the new one.',
  'api_key.revoked': 'A key was revoked.',
  'webhook_secret.rotated': 'The secret of an organization or of a webhook endpoint was replaced.',
  'webhook_endpoint.created': 'A webhook endpoint was created.',
  'webhook_endpoint.updated': 'A webhook endpoint was changed.',
  'webhook_endpoint.deleted': 'A webhook endpoint was deleted.',
  'checkout_session.redacted': 'Somebody had a checkout session redacted.',
} as const;
export type OperatorEventType = keyof typeof OPERATOR_EVENT_TYPES;

type Members = Readonly<Record<string, unknown>>;
/** These are the values of each changed member before and after the change. */
export type Changes = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

export interface NewOperatorEvent {
  readonly type: OperatorEventType;
  /** This is null for what belongs to no organization. */
  readonly organization: string | null;
  /** This is the ID of what was changed. */
  readonly resource: string;
  readonly changes: Changes;
}

export interface OperatorEvent extends NewOperatorEvent {
  readonly id: string;
  readonly by: Author;
}

/**
 * Returns the members whose values differ. A member that is missing counts as null. `shown` makes
 * what may be kept for ever of the values of a member.
 */
export function changesBetween(
  before: Members,
  after: Members,
  shown: Readonly<Record<string, (value: string) => string>> = {},
): Changes {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changes: Record<string, [unknown, unknown]> = {};
  for (const name of names) {
    const values = [before[name] ?? null, after[name] ?? null] as [unknown, unknown];
    if (JSON.stringify(values[0]) === JSON.stringify(values[1])) continue;
    const show = shown[name];
    const kept = values.map((value) => (show && typeof value === 'string' ? show(value) : value));
    changes[name] = kept as [unknown, unknown];
  }
  return changes;
}
