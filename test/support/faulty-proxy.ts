/** Stands between a client and the service, and does once what a network does now and then. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a request meets: by default it is passed on, and so is its answer. */
export type Fault = (pass: () => Promise<Response>, response: ServerResponse) => Promise<unknown> | unknown;

export const FAULTS = {
  /** The request never arrives. */
  cutBefore: ((_, response) => response.socket?.resetAndDestroy()) as Fault,
  /** It arrives and is carried out; the answer is lost. */
  cutAfter: (async (pass, response) => {
    await pass();
    response.socket?.resetAndDestroy();
  }) as Fault,
  /** Only the head of the answer and a part of its body come through. */
  cutMidway: (async (pass, response) => {
    const text = await (await pass()).text();
    response.writeHead(201, { 'content-length': text.length });
    response.write(text.slice(0, 20), () => response.socket?.resetAndDestroy());
  }) as Fault,
};

export interface Passed {
  readonly method: string;
  readonly idempotencyKey: string | undefined;
}

export async function startFaultyProxy(target: string) {
  const passed: Passed[] = [];
  const faults: Fault[] = [];
  const server = createServer(async (request, response) => {
    const { method = 'GET', headers } = request;
    passed.push({ method, idempotencyKey: headers['idempotency-key'] as string | undefined });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const pass = () => forward(target, request, Buffer.concat(chunks));
    await (faults.shift() ?? relay)(pass, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    /** The next requests meet these, one each. */
    meet: (...next: Fault[]) => void faults.push(...next),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const relay: Fault = async (pass, response) => {
  const answer = await pass();
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
};

function forward(target: string, { method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer) {
  const { connection: _, host: __, 'content-length': ___, ...kept } = headers as Record<string, string>;
  const sent = method === 'GET' ? {} : { body: new Uint8Array(body) };
  return fetch(`${target}${url}`, { method, headers: kept, ...sent });
}
