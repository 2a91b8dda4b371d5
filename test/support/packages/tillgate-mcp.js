/** Uses an installed tillgate-mcp as an agent does: it prints the status of a refund. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [, , TILLGATE_URL, TILLGATE_KEY, refund] = process.argv;
const env = { ...process.env, TILLGATE_URL, TILLGATE_KEY, PORT: '' };
const server = spawn('npx', ['tillgate-mcp'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
const answers = createInterface(server.stdout)[Symbol.asyncIterator]();

async function ask(method, params) {
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
  return JSON.parse((await answers.next()).value).result;
}

const clientInfo = { name: 'test', version: '1' };
await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
const called = await ask('tools/call', { name: 'read_refund', arguments: { id: refund } });
console.log(called.structuredContent.refund.status);
server.stdin.end();
server.stdout.destroy();
