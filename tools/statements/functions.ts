/**
 * Lists the functions that a write may call, by what their result depends on. A test compares the
 * lists with PostgreSQL's own.
 */

/** The result depends on the arguments only. */
export const IMMUTABLE: ReadonlySet<unknown> = new Set([
  ...['array_agg', 'array_append', 'bool_or', 'btrim', 'cardinality', 'count', 'encode'],
  ...['jsonb_set', 'left', 'length', 'lower', 'make_interval', 'max', 'md5', 'min'],
  ...['num_nonnulls', 'octet_length', 'regexp_replace', 'replace', 'right', 'sha256'],
  ...['split_part', 'string_agg', 'string_to_array', 'substr', 'sum', 'timezone'],
  ...['to_timestamp', 'unnest', 'upper'],
]);
/** The result depends on the time or on a setting too, but is the same during a statement. */
export const STABLE: ReadonlySet<unknown> = new Set([
  ...[
    'age',
    'array_to_string',
    'concat',
    'concat_ws',
    'current_setting',
    'date_part',
    'date_trunc',
  ],
  ...['extract', 'format', 'json_build_object', 'jsonb_build_object', 'now', 'row_to_json'],
  ...['statement_timestamp', 'to_char', 'to_json', 'to_jsonb', 'transaction_timestamp'],
]);
/** These return the time. */
export const CLOCKS: ReadonlySet<unknown> = new Set([
  ...['clock_timestamp', 'now', 'statement_timestamp', 'transaction_timestamp'],
]);
