/** Says why there was no drill, or none with a verdict. */
export class Complaint extends Error {}

/** Says why a drill ended early. Its findings until then are reported. */
export class Halt extends Error {}
