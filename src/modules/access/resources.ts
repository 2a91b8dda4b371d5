import type { Resource } from '../../platform/module-declaration.js';
import { ORGANIZATION_ID } from '../../shared/id.js';
import { OPERATOR_EVENT_ID } from './domain/operator-event.js';

export const ORGANIZATION_RESOURCE = {
  id: ORGANIZATION_ID,
  schema: 'Organization',
  operator: { path: '/operator/v1/organizations', isListed: true },
} as const satisfies Resource;

export const OPERATOR_EVENT_RESOURCE = {
  id: OPERATOR_EVENT_ID,
  schema: 'OperatorEvent',
  operator: { path: '/operator/v1/events', isListed: true },
} as const satisfies Resource;
