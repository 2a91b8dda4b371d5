/**
 * Runs a client that never rests, in a process of its own:
 * `node load.js <url> <method> <key> <connections> <pipelined> <body>`. Each connection has so many
 * requests under way, each under an idempotency key of its own. Sockets that end are opened again.
 * With 0 under way, each connection sends one request, is closed after the answer, and is opened
 * again at once.
 */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';

const [url, method, key, connections, pipelined, body = ''] = process.argv.slice(2);
const { hostname, port, pathname, search } = new URL(url);

function request() {
  const head = [
    `${method} ${pathname}${search} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${key}`,
  ];
  const own = body
    ? [
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        `Idempotency-Key: ${randomUUID()}`,
      ]
    : [];
  return `${[...head, ...own].join('\r\n')}\r\n\r\n${body}`;
}

function open() {
  const socket = connect(Number(port), hostname, () => {
    for (let sent = 0; sent < (Number(pipelined) || 1); sent++) socket.write(request());
  });
  socket.setEncoding('latin1');
  // An answer that is cut between two chunks is not counted, and its successor waits for the next.
  socket.on('data', (chunk) => {
    const answers = chunk.split('HTTP/1.1 ').length - 1;
    if (answers > 0 && pipelined === '0') socket.destroy();
    else if (answers > 0) socket.write(Array.from({ length: answers }, request).join(''));
  });
  // The service has ended, and the test that started this process may have ended too.
  socket.on('error', ({ code }) => code === 'ECONNREFUSED' && process.exit());
  socket.on('close', () => (pipelined === '0' ? open() : setTimeout(open, 100)));
}

for (let at = 0; at < Number(connections); at++) open();
