/** Why there was no drill, or none that says anything. */
export class Complaint extends Error {}
