/** A row that was found among those of all organizations: whose it is, and its place in the table (ctid) until it changes. */
export interface Place {
  readonly organization: string;
  readonly place: string;
}

/** For statements that change rows: each names one organization, and looks again, because places may have changed since. */
export function byOrganization(places: readonly Place[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { organization, place } of places) {
    const others = found.get(organization);
    if (others) others.push(place);
    else found.set(organization, [place]);
  }
  return found;
}
