import { exampleId } from '../../../../platform/http/schema.js';
import { requireResendable } from '../../application/resend-event.js';
import { EVENT_ID } from '../../domain/event.js';
import { MAX_RESENDABLE } from '../../domain/schedule.js';

const SENT_OFTEN = { endpoint: null, url: 'https://shop.example/webhooks', attempts: MAX_RESENDABLE };

export const REFUSED_RESENDS = [() => requireResendable([SENT_OFTEN], exampleId(EVENT_ID))];
