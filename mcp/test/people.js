/**
 * Plays what people ask of an agent, with the official client over stdio, and counts the calls. It
 * goes on from answers alone, because no ID is known. It prints each request with its calls and
 * with what the person is told. The environment names the service and the keys of two agents.
 */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const { SERVER, TILLGATE_URL, AGENT_KEY, READER_KEY } = process.env;

async function played(request, key, play) {
  const env = { ...process.env, TILLGATE_URL, TILLGATE_KEY: key };
  const client = new Client({ name: 'people', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [SERVER], env }),
  );
  const calls = [];
  const call = async (name, given) => {
    calls.push(name);
    const { isError, structuredContent, content } = await client.callTool({
      name,
      arguments: given,
    });
    return isError ? { error: JSON.parse(content[0].text) } : structuredContent;
  };
  const { tools } = await client.listTools();
  const told = await play(
    call,
    tools.map(({ name }) => name),
  );
  await client.close();
  return { request, calls, told };
}

const toldOf = ({ refund, approval }) => `${refund.amount} ${refund.currency} ${approval.state}`;

async function refundItem(call) {
  const { data, sessions } = await call('find_payments', { reference: '4711' });
  const paid = sessions.find(({ status }) => status === 'complete');
  const { line_items } = await call('read_session', { id: paid.id });
  const line = line_items.data.find(({ product_name }) => product_name === 'Blue shirt');
  const proposal = { payment: data[0].id, amount: line.amount_total, reference: 'return-4711-1' };
  return toldOf(await call('propose_refund', { ...proposal, description: 'Too small.' }));
}

async function refundTooMuch(call) {
  const { data } = await call('find_payments', { reference: '4711' });
  const proposal = { payment: data[0].id, amount: 99_900, reference: 'return-4711-2' };
  const { error } = await call('propose_refund', proposal);
  const { tool, arguments: corrected } = error.next_call;
  return toldOf(await call(tool, corrected));
}

async function askForRefund(call) {
  const { data } = await call('find_payments', { reference: '4712' });
  const { data: refunds } = await call('list_refunds', { payment: data[0].id });
  const { approval } = await call('read_refund', { id: refunds[0].id });
  return `${approval.state}: ${approval.comment}`;
}

async function refundUnknown(call) {
  const { sessions } = await call('find_payments', { reference: '4799' });
  return sessions.length === 0 ? 'There is no such order.' : 'There is one.';
}

async function sell(call) {
  const lines = [
    { name: 'Blue shirt', unit_amount: 1299 },
    { name: 'Mug', unit_amount: 900 },
  ];
  return (await call('create_session', { reference: '4713', currency: 'usd', lines })).summary;
}

async function refundWithoutRight(_call, tools) {
  return tools.includes('propose_refund') ? 'I can.' : 'I cannot refund.';
}

const all = [
  await played('Refund the blue shirt of order 4711.', AGENT_KEY, refundItem),
  await played('Order 4711 wants 999.00 back, or what is left.', AGENT_KEY, refundTooMuch),
  await played('What became of the refund of order 4712?', AGENT_KEY, askForRefund),
  await played('Refund order 4799.', AGENT_KEY, refundUnknown),
  await played('I buy a blue shirt and a mug.', AGENT_KEY, sell),
  await played('Refund order 4711.', READER_KEY, refundWithoutRight),
];
console.log(JSON.stringify(all));
