import { invalidParams, type ParamCode, type ParamError, paramError } from '../../../shared/errors.js';

/** Collects the faults of a request, so that one response lists all of them. */
export class AmountFaults {
  private readonly errors: ParamError[] = [];

  add(param: string, code: ParamCode, message: string, allowed: readonly (string | number)[] = []): void {
    this.errors.push(paramError(param, code, `${param} ${message}.`, allowed));
  }

  confirm(param: string, claimed: number | undefined, computed: number): void {
    if (claimed === undefined || claimed === computed) return;
    this.add(param, 'amount_mismatch', `must be ${computed}`, [computed]);
  }

  throwIfAny(): void {
    if (this.errors.length > 0) throw invalidParams(this.errors);
  }
}
