/** A row of any organization: its owner, and its place in the table (ctid), which it has until it changes. */
export interface Place {
  readonly organization: string;
  readonly place: string;
}

/** The places by organization. A statement that changes the rows must check them again, because places may be reused. */
export function byOrganization(places: readonly Place[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { organization, place } of places) {
    const others = found.get(organization);
    if (others) others.push(place);
    else found.set(organization, [place]);
  }
  return found;
}
