import type { DueReceiver } from '../domain/receiver.js';

/** For each organization. A later poll finds the others. */
const MAX_DUE = 2_000;

/** The receivers with due deliveries, as far as this process knows. Those added first come first. */
export class DueReceivers {
  private readonly due = new Map<string, Map<string, DueReceiver>>();

  all(): DueReceiver[] {
    return [...this.due.values()].flatMap((receivers) => [...receivers.values()]);
  }

  add(one: DueReceiver): void {
    const due = this.due.get(one.organization) ?? new Map<string, DueReceiver>();
    if (due.size < MAX_DUE) due.set(one.stored, one);
    this.due.set(one.organization, due);
  }

  remove({ organization, stored }: DueReceiver): void {
    const due = this.due.get(organization);
    due?.delete(stored);
    if (due?.size === 0) this.due.delete(organization);
  }
}
