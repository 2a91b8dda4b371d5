import type { FastifyRequest } from 'fastify';

/** Every value of a header as it arrived: Node joins repeated headers, or drops all but the first. */
export function headerValues({ raw: { rawHeaders } }: FastifyRequest, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const candidate = rawHeaders[at] as string;
    if (candidate.length === name.length && candidate.toLowerCase() === name) values.push(rawHeaders[at + 1] as string);
  }
  return values;
}
