/**
 * A ledger's request for one resource is read here: it names the resource by its ID, and may leave
 * out the owner.
 */
import {
  type ArgumentMetadata,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type PipeTransform,
} from '@nestjs/common';
import { Declarations } from '../../platform/module-declaration.js';
import { type Caller, type Ledger, Owners } from '../../shared/caller.js';
import { type IdKind, ORGANIZATION_ID } from '../../shared/id.js';
import { type OwnId, ownId } from '../../shared/own-id.js';
import { type KeyedRequest, keyedRequestOf } from '../idempotency/keyed-request.js';
import { requestOf } from '../request.js';
import type { RequestClass } from './constraints.js';
import { Id } from './fields.js';
import { ParseIdPipe, RequestPipe } from './validation.js';

/**
 * Declares the owner of the resource in the path. If the owner is missing, the resource is searched
 * for in all organizations.
 */
export const Owner = () =>
  Id(ORGANIZATION_ID, {
    optional: true,
    description:
      'Organization that owns the resource. Where the database is spread over several machines, ' +
      'send it: one machine is asked then, and not all.',
  });

export class OwnerRequest {
  @Owner() organization?: string | null;
}

/** A ledger's request is about one resource, and is made for the organization that owns it. */
export interface LedgerRequest<Body = OwnerRequest> {
  readonly caller: Caller;
  readonly id: OwnId;
  readonly request: KeyedRequest<Body>;
}

export interface LedgerRequestOptions {
  readonly kind: IdKind;
  /** This is the class of the body, or of the query of a read. */
  readonly form: RequestClass;
}

@Injectable()
export class LedgerRequestPipe implements PipeTransform {
  private readonly pipe: RequestPipe;

  constructor(
    declarations: Declarations,
    private readonly owners: Owners,
  ) {
    this.pipe = new RequestPipe(declarations);
  }

  /** Faults of the ID, and then faults of the form, are refused before anything is looked up. */
  async transform(
    { mode, request }: Ledger & { request: KeyedRequest },
    { data }: ArgumentMetadata,
  ): Promise<LedgerRequest> {
    const { kind, form } = data as unknown as LedgerRequestOptions;
    const type = request.method === 'GET' ? 'query' : 'body';
    const named = new ParseIdPipe(kind).transform(request.subject as string);
    const body = this.pipe.transform(request.body, { type, metatype: form }) as OwnerRequest;
    const id = kind.hasMode ? ownId({ mode }, named) : (named as OwnId);
    const caller = await this.owners.of({ mode }, id, body.organization);
    return { caller, id, request: { ...request, body } };
  }
}

const ledgerRequest = createParamDecorator((_: LedgerRequestOptions, context: ExecutionContext) => {
  const { caller, method, query } = requestOf(context);
  const request = keyedRequestOf(context);
  return { mode: caller?.mode, request: method === 'GET' ? { ...request, body: query } : request };
});

/**
 * Gives a route of the ledger for one resource its parameter: the caller, the ID in the path, and
 * the body or query that `form` validates.
 */
export const LedgerRequest = (kind: IdKind, form: RequestClass): ParameterDecorator =>
  ledgerRequest({ kind, form }, LedgerRequestPipe);
