/**
 * Formats SQL for readers: each clause of a query is a line of its own, and queries within a query
 * are indented.
 */
const TOKENS = /\/\*.*?\*\/|'(?:[^']|'')*'|"[^"]*"|[\w$.:*]+|\s+|./gs;
const CLAUSE =
  /^(?:FROM|WHERE|SET|VALUES|JOIN|LEFT|CROSS|ORDER|GROUP|WINDOW|LIMIT|UNION|FOR|RETURNING|SELECT|INSERT|UPDATE|DELETE)$/;
const WIDTH = 110;
/** A query up to this length stands in the line of its parentheses. */
const SHORT = 60;
const QUERY = /^\s*(?:\/\*.*?\*\/\s*)?(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/s;

export function formatted(sql: string): string {
  const lines: string[] = [];
  const areQueries: boolean[] = [];
  let line = '';
  const indent = () => '  '.repeat(areQueries.filter(Boolean).length);
  const end = () => {
    if (line.trim() !== '') lines.push(line.trimEnd());
    line = indent();
  };
  for (const { 0: token, index } of sql.matchAll(TOKENS)) {
    const isInQuery = areQueries.at(-1) ?? true;
    if (/^\s+$/.test(token)) line = line.trim() === '' ? line : `${line.trimEnd()} `;
    else if (token === '(') {
      line += token;
      const inner = insideOf(sql.slice(index + 1));
      areQueries.push(QUERY.test(inner) && inner.length > SHORT);
      if (areQueries.at(-1)) end();
    } else if (token === ')') {
      if (areQueries.pop()) end();
      line += token;
    } else {
      const begins = CLAUSE.test(token) && !/\b(?:CROSS|LEFT|DO|NO KEY|FOR) $/.test(line);
      if (isInQuery && begins) end();
      else if (line.endsWith(' ') && line.length + token.length > WIDTH) {
        end();
        line += '  ';
      }
      line += token;
    }
  }
  end();
  const text = lines.join('\n');
  if (squeezed(text) !== squeezed(sql)) throw new Error(`Formatting changed ${sql}`);
  return text;
}

function insideOf(sql: string): string {
  let depth = 1;
  for (const { 0: token, index } of sql.matchAll(TOKENS)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (depth === 0) return sql.slice(0, index);
  }
  return sql;
}

const squeezed = (sql: string): string => sql.replace(/\s+/g, '');
