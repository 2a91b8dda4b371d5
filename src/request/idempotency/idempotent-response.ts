import { HttpResponse } from '../response.js';

/** The response of a route that takes an idempotency key. Only Idempotency makes it, when the decision is written. */
export class IdempotentResponse extends HttpResponse {
  /** A member that HttpResponse lacks, so that the compiler refuses a handler that returns an HttpResponse. */
  declare protected readonly madeBy: 'Idempotency';
}
