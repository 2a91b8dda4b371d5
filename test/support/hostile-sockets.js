/**
 * Opens sockets that never close their end, in a process of its own with files of its own:
 * `node hostile-sockets.js <url> <count> reads|ignores <bytes>`. Each socket writes the bytes, and
 * reads or ignores what comes.
 */
import { connect } from 'node:net';

const [url, count, reading, bytes] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const left = new Set();

for (let at = 0; at < Number(count); at++) {
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  if (reading === 'reads') socket.resume();
  else socket.pause();
  socket.write(bytes);
  left.add(socket);
  // A socket that was cut before is done, too.
  const settle = () => left.delete(socket) && left.size === 0 && console.log('connected');
  socket.on('connect', settle).on('error', settle);
}

// The process stays although all sockets were cut, until the test ends it.
setInterval(() => undefined, 60_000);
