/** Holds both sides that a worker talks to, and applies the plan to its requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity } from './activity.js';
import type { Answer } from './api.js';
import type { Request, Side } from './line.js';
import type { Merchants } from './merchants.js';
import type { Provider } from './provider.js';
import type { Fate, PlannedRefund } from './scenes.js';
import { CLAIM, reportOf, type Witness } from './witness.js';

const ONE_IN = 10;
/**
 * After so many hours, another worker has claimed and paid a refund that the first one has left.
 */
const HOURS_TO_OVERTAKE = 4;
const PASSED = [
  'connection',
  'host',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'expect',
];
/**
 * These claims are refused, each once in a drill, so that a worker that ends at each refusal does
 * not end too often.
 */
const CLAIM_FATES: Readonly<Record<number, Fate>> = {
  12: 'too many requests',
  22: 'unavailable',
  32: 'server error',
};
const PAGES = [500, 502, 504];

const refusal = (status: number, error: string) => ({ status, body: { error } });

export class Traffic {
  /** Faults end before the drill does, so that everything can be decided. */
  isCalm = false;
  readonly faults: Partial<Record<Fate, number>> = {};
  /** These refunds have met a fault. */
  readonly met = new Set<string>();
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly merchants: Merchants,
    private readonly provider: Provider,
    private readonly witness: Witness,
    private readonly activity: Activity,
    private readonly tillgateUrl: string,
  ) {}

  readonly tillgate: Side = {
    fateOf: async ({ method, path }) => {
      const { refund, name } = reportOf(path);
      if (method === 'POST' && name)
        return this.meet(await this.planned(refund, 'reports'), refund);
      if (path !== CLAIM) return 'passes';
      const place = this.count(CLAIM);
      return this.meet(
        CLAIM_FATES[place] ?? everyTenth(place, { 4: 'arrives twice', 9: 'answer lost' }),
      );
    },
    refusals: {
      'too many requests': { ...envelope(429, 'rate_limited'), retryAfter: 1 },
      unavailable: { ...envelope(503, 'service_unavailable'), retryAfter: 1 },
    },
    error: () => envelope(500, 'internal_error'),
    carryOut: (request) => forward(this.tillgateUrl, request),
    receive: (request) => this.witness.receiveForTillgate(request),
  };

  readonly payouts: Side = {
    fateOf: async ({ worker, method, path, body }) => {
      const refund = method === 'POST' ? String(body?.refund) : this.witness.lookedAt(path);
      const fate =
        refund === ''
          ? 'passes'
          : await this.planned(refund, method === 'POST' ? 'payouts' : 'looks');
      if (method !== 'POST')
        return this.meet(
          fate === 'passes' ? everyTenth(this.count('look'), { 9: 'answer lost' }) : fate,
          refund,
        );
      const isUntrue = fate in this.payouts.refusals && this.provider.knows(refund);
      const isOwn = fate !== 'overtaken' || this.witness.claimantOf(refund) === worker;
      return this.meet(isUntrue || !isOwn ? 'passes' : fate, refund);
    },
    refusals: {
      overtaken: refusal(429, 'no_balance'),
      'no balance': refusal(429, 'no_balance'),
      unavailable: refusal(503, 'unavailable'),
      'too many requests': { ...refusal(429, 'too_many_requests'), retryAfter: 1 },
    },
    error: () => {
      const status = PAGES[this.count('page') % PAGES.length] ?? 500;
      return { status, body: `<html><body><h1>${status}</h1></body></html>` };
    },
    carryOut: async ({ method, path, headers, body }) =>
      this.provider.answer(method, path, String(headers['idempotency-key'] ?? ''), body),
    receive: (request) => this.witness.receiveForProvider(request),
  };

  /**
   * Resolves when another request for the refund's payout came or did not come in time, or when the
   * drill is over.
   */
  async overtaken({ body }: Request, over: AbortSignal): Promise<void> {
    const latest = this.activity.hour + HOURS_TO_OVERTAKE;
    const count = () => this.counts.get(`payouts ${body.refund}`) ?? 0;
    while (count() < 2 && this.activity.hour < latest && !over.aborted) await sleep(10);
  }

  private async planned(refund: string, kind: 'payouts' | 'looks' | 'reports'): Promise<Fate> {
    const plan: PlannedRefund | undefined = await this.merchants.planOf(refund);
    return plan?.[kind][this.count(`${kind} ${refund}`)] ?? 'passes';
  }

  private meet(fate: Fate, refund = ''): Fate {
    if (this.isCalm || fate === 'passes') return 'passes';
    this.faults[fate] = (this.faults[fate] ?? 0) + 1;
    if (refund !== '') this.met.add(refund);
    return fate;
  }

  private count(what: string): number {
    const before = this.counts.get(what) ?? 0;
    this.counts.set(what, before + 1);
    return before;
  }
}

const everyTenth = (place: number, fates: Readonly<Record<number, Fate>>): Fate =>
  fates[place % ONE_IN] ?? 'passes';

function envelope(status: number, code: string): Answer {
  const type = status < 500 ? 'invalid_request' : 'api_error';
  const next_step = {
    type: 'retry',
    message: 'Send the same request again later.',
    path: '',
    method: '',
  };
  const error = {
    type,
    code,
    message: 'Tillgate cannot answer now.',
    param: '',
    errors: [],
    next_step,
    request_id: '',
  };
  return { status, body: { error } };
}

async function forward(base: string, { method, path, headers, text }: Request): Promise<Answer> {
  const passed = Object.entries(headers).filter(([header]) => !PASSED.includes(header)) as [
    string,
    string,
  ][];
  const response = await fetch(base + path, {
    method,
    headers: passed,
    ...(text === '' ? {} : { body: text }),
  });
  return { status: response.status, body: await response.json() };
}
