import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from '../../../../request/request.js';
import type { Requester } from '../../../../shared/caller.js';
import type { ApiKey } from '../../domain/api-key.js';

/** Who asks. */
export const RequesterOfKey = createParamDecorator((_: unknown, context: ExecutionContext) => requesterIn(context));

/** Who asks, and whether somebody else must approve the refunds that they propose. */
export const ProposerOfKey = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return { requester: requesterIn(context), needsApproval: keyIn(context).needsApproval };
});

const keyIn = (context: ExecutionContext) => requestOf(context).apiKey as ApiKey;

function requesterIn(context: ExecutionContext): Requester {
  const { id, holder } = keyIn(context).state;
  return { key: id, holder, actor: requestOf(context).actor };
}
