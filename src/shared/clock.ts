/** The instant this process believes it is, in milliseconds. What expires is decided by the database's clock instead. */
export abstract class Clock {
  abstract now(): number;
  /** Milliseconds since some instant, never set back: for ages. */
  abstract monotonic(): number;
}
