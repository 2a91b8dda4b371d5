export const MODES = ['test', 'live'] as const;
export type Mode = (typeof MODES)[number];

/** Whose data an operation may touch. Every repository method takes it first. */
export interface Caller {
  readonly organization: string;
  readonly mode: Mode;
}
