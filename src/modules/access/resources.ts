import type { Resource } from '../../platform/module-declaration.js';
import { ORGANIZATION_ID } from '../../shared/id.js';

export const ORGANIZATION_RESOURCE = {
  id: ORGANIZATION_ID,
  schema: 'Organization',
  operator: { path: '/operator/v1/organizations', isListed: true },
} as const satisfies Resource;
