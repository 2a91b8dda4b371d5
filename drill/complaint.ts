/** Why there was no drill, or none that says anything. */
export class Complaint extends Error {}

/** Why a drill ended before its end. What it has found until then is told. */
export class Halt extends Error {}
