/** A row of any organization: its owner, and its place in the table (ctid), which it has until it changes. */
export interface Place {
  readonly organization: string;
  readonly place: string;
}

/** The places by organization. A statement that changes the rows must check them again, because places may be reused. */
export function byOrganization(places: readonly Place[]): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(places, ({ organization }) => organization);
  return new Map([...groups].map(([organization, group]) => [organization, group.map(({ place }) => place)]));
}
