/** Several repository calls that happen together or not at all. */
export abstract class Transaction {
  /** Runs the work in one database transaction; nested calls join the one that is open. */
  abstract run<Result>(work: () => Promise<Result>): Promise<Result>;
}
