/**
 * Serves streamable HTTP to this machine. Each caller sends a key of its own, and no state is kept
 * between two requests.
 */
import { createServer, type Server } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  createMcpHandler,
  OAuthError,
  OAuthErrorCode,
  requireBearerAuth,
} from '@modelcontextprotocol/server';
import { callerOf, isRestrictedKey } from './caller.js';
import { UnfitKey } from './rights.js';
import { serverOf } from './server.js';
import type { Service } from './service.js';

export function serveHttp(service: Service, port: number): Server {
  const handler = createMcpHandler(({ authInfo, requestInfo }) =>
    serverOf(service, callerOf(authInfo?.token ?? '', requestInfo?.headers ?? new Headers())),
  );
  const verifier = { verifyAccessToken: (key: string) => authInfoOf(key, service) };
  const identify = requireBearerAuth({ verifier });
  const handle = toNodeHandler({
    fetch: async (request) => {
      const authInfo = await identify(request);
      return authInfo instanceof Response ? authInfo : handler.fetch(request, { authInfo });
    },
  });
  // A web page in a browser on this machine must not reach the tools.
  const [isLocal, isOwn] = [localhostHostValidation(), localhostOriginValidation()];
  return createServer((request, response) => {
    if (!isLocal(request, response) || !isOwn(request, response)) return;
    // A Request of fetch cannot have this method, and the handler would answer with a 500.
    if (request.method === 'TRACE') response.writeHead(405, { allow: 'POST' }).end();
    else void handle(request as Parameters<typeof handle>[0], response);
  }).listen(port, '127.0.0.1');
}

/** Refuses a key that can never work. Tillgate checks the key again in each call. */
async function authInfoOf(key: string, service: Service): Promise<AuthInfo> {
  if (!isRestrictedKey(key)) throw unfit('Send a restricted key of Tillgate, rk_….');
  await service.rightsOf(key).catch((error) => {
    if (error instanceof UnfitKey) throw unfit(error.message);
  });
  return { token: key, clientId: 'agent', scopes: [], expiresAt: Number.MAX_SAFE_INTEGER };
}

const unfit = (message: string) => new OAuthError(OAuthErrorCode.InvalidToken, message);
