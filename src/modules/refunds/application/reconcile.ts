import { Injectable } from '@nestjs/common';

/** One promise of the books, and the ids of what breaks it. */
export interface Check {
  readonly promise: string;
  readonly checked: number;
  readonly offenders: readonly string[];
}

/** Reads all organizations' books at one instant. */
export abstract class Books {
  abstract check(): Promise<Check[]>;
}

/** Proves that the amounts accounted on payments are what their refunds add up to. */
@Injectable()
export class Reconcile {
  constructor(private readonly books: Books) {}

  async execute(): Promise<{ checks: Check[]; isBalanced: boolean }> {
    const checks = await this.books.check();
    return { checks, isBalanced: checks.every(({ offenders }) => offenders.length === 0) };
  }
}
