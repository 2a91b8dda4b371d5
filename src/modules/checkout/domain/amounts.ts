import { invalidParams, type ParamCode, type ParamError, paramError } from '../../../shared/errors.js';

/** Collects what is wrong with a request's amounts, so that all of it is reported at once. */
export class AmountFaults {
  private readonly errors: ParamError[] = [];

  get none(): boolean {
    return this.errors.length === 0;
  }

  add(param: string, code: ParamCode, message: string, allowed: readonly (string | number)[] = []): void {
    this.errors.push(paramError(param, code, `${param} ${message}.`, allowed));
  }

  /** The caller confirms what the service computes: a claim may be left out, but not be wrong. */
  confirm(param: string, claimed: number | undefined, computed: number): void {
    if (claimed === undefined || claimed === computed) return;
    this.add(param, 'amount_mismatch', `must be ${computed}`, [computed]);
  }

  throwIfAny(): void {
    if (!this.none) throw invalidParams(this.errors);
  }
}
