export const MODES = ['test', 'live'] as const;
export type Mode = (typeof MODES)[number];

/** The component that owns payments: it acts on its mode of every organization. */
export interface Ledger {
  readonly mode: Mode;
}

/** Whose data an operation may touch. Every repository method takes it first. */
export interface Caller {
  readonly organization: string;
  readonly mode: Mode;
}
