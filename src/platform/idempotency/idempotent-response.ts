import { HttpResponse } from '../http/response.js';

/** The response of a route that honours an idempotency key. Idempotency makes it, when what was decided is written. */
export class IdempotentResponse extends HttpResponse {
  /** Nothing but this class has it: a route cannot return a response of its own making in the place of this one. */
  declare protected readonly madeBy: 'Idempotency';
}
