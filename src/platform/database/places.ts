/** A row that was found among those of all organizations: whose it is, and its place in the table (ctid) until it changes. */
export interface Place {
  readonly organization: string;
  readonly place: string;
}

/**
 * The places by organization. A statement that changes or locks rows names one organization, and looks again: between the
 * two looks a row may have changed, and its place may have become another's.
 */
export function byOrganization(places: readonly Place[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { organization, place } of places) {
    const others = found.get(organization);
    if (others) others.push(place);
    else found.set(organization, [place]);
  }
  return found;
}
