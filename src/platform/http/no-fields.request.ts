/** The body of an operation that takes none: nothing at all, or an empty object. */
export class NoFieldsRequest {}
