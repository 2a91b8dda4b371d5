import type { DueReceiver } from '../../domain/receiver.js';

/** Of an organization. Others are found by a later look. */
const MAX_DUE = 2_000;

/** The receivers that are known to have something due. Of an organization, those that waited longest come first. */
export class DueReceivers {
  /** By organization, then as they are spelled. */
  private readonly due = new Map<string, Map<string, DueReceiver>>();

  all(): DueReceiver[] {
    return [...this.due.values()].flatMap((receivers) => [...receivers.values()]);
  }

  add(one: DueReceiver): void {
    const due = this.due.get(one.organization) ?? new Map<string, DueReceiver>();
    if (due.size < MAX_DUE) due.set(one.spelled, one);
    this.due.set(one.organization, due);
  }

  remove({ organization, spelled }: DueReceiver): void {
    const due = this.due.get(organization);
    due?.delete(spelled);
    if (due?.size === 0) this.due.delete(organization);
  }
}
