/**
 * `boundedFetch` keeps no answer of more than 16 MiB: a page of Tillgate is far smaller, so another
 * program has answered.
 */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * An answer that is too large has no body. Its status stays, so that nobody takes it for a fault of
 * the network.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.body === null) return response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    // The return from the loop ends the connection.
    if (size > MAX_BYTES) return new Response(null, response);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), response);
};
