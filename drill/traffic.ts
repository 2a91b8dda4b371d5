/** Both sides that a worker talks to: what the plan does to its requests, and what is written down about them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Json } from './api.js';
import type { Journal } from './journal.js';
import type { Request, Side } from './line.js';
import type { Merchants } from './merchants.js';
import type { Fate, PlannedRefund } from './plan.js';
import type { Provider } from './provider.js';

const REPORT = /^\/ledger\/v1\/refunds\/(\w+)\/(succeed|fail|extend|release|return)$/;
const CLAIM = '/ledger/v1/refunds/claim';
const ONE_IN = 10;
const OVERTAKEN_PATIENCE_MS = 10_000;
const PASSED = ['connection', 'host', 'content-length', 'transfer-encoding', 'keep-alive', 'expect'];

const WORDS: Readonly<Record<Fate, string>> = {
  passes: '',
  'request lost': ' (the request is lost)',
  'answer lost': ' (the answer is lost)',
  'arrives twice': ' (it arrives twice)',
  'worker killed': ' (no answer)',
  'answer late': ' (no answer before the clock moves)',
  'answer slow': '',
  overtaken: ' (the answer came after another claim)',
  'no balance': '',
  unavailable: '',
};

export class Traffic {
  /** Faults end before the drill does, so that everything can be decided. */
  isCalm = false;
  /** When work was last done, by performance.now(). */
  workedAt = 0;
  /** When each worker asked last whether there is work. */
  readonly askedAt = [0, 0];
  readonly faults: Partial<Record<Fate, number>> = {};
  /** Refunds of which a worker used the number of another's claim, or none. */
  readonly misused = new Set<string>();
  private readonly counts = new Map<string, number>();
  private readonly given = new Set<string>();
  /** Which worker was given a refund last. */
  private readonly claimants = new Map<string, number>();
  private readonly refused = new Set<string>();

  constructor(
    private readonly merchants: Merchants,
    private readonly provider: Provider,
    private readonly journal: Journal,
    private readonly tillgateUrl: string,
  ) {}

  readonly tillgate: Side = {
    fateOf: async ({ method, path }) => {
      const [, refund = ''] = REPORT.exec(path) ?? [];
      if (method === 'POST' && refund) return this.planned(refund, 'report', ({ reports }) => reports);
      return path === CLAIM ? this.everyTenth(CLAIM) : 'passes';
    },
    carryOut: (request) => forward(this.tillgateUrl, request),
    note: (request, answer, fate) => {
      if (!REPORT.test(request.path)) this.askedAt[request.worker] = performance.now();
      if (request.path === CLAIM) this.noteClaim(request, answer, fate);
      const [, refund = '', name = ''] = REPORT.exec(request.path) ?? [];
      if (refund) this.noteReport(request, { refund, name }, answer, fate);
    },
  };

  readonly payouts: Side = {
    fateOf: async ({ worker, method, body }) => {
      if (method !== 'POST') return this.everyTenth('look');
      const fate = await this.planned(String(body?.refund), 'payout', ({ payouts }) => payouts);
      return fate === 'overtaken' && this.claimants.get(body.refund) !== worker ? 'passes' : fate;
    },
    carryOut: async ({ method, path, headers, body }) =>
      this.provider.answer(method, path, String(headers['idempotency-key'] ?? ''), body),
    note: ({ worker, method, path, headers, body }, answer, fate) => {
      const refund = body?.refund ?? new URL(path, 'http://provider').searchParams.get('refund');
      if (!refund) return;
      // What the provider has is a fact, which every worker may report.
      if (method === 'GET' && answer?.body.data?.length > 0) this.refused.delete(`${worker} ${refund}`);
      this.workedAt = performance.now();
      const asked =
        method === 'POST' ? `pays ${body.amount} ${body.currency}, key ${headers['idempotency-key']}` : 'looks';
      this.journal.note(refund, nameOf(worker), `${asked}${answer ? `: ${said(answer)}` : ''}${WORDS[fate]}`);
    },
  };

  /** Resolves when another request for the refund's payout came, or did not come in time. */
  async overtaken({ body }: Request): Promise<void> {
    const deadline = performance.now() + OVERTAKEN_PATIENCE_MS;
    const count = () => this.counts.get(`payout ${body.refund}`) ?? 0;
    while (count() < 2 && performance.now() < deadline) await sleep(10);
  }

  private async planned(refund: string, kind: string, fates: (plan: PlannedRefund) => readonly Fate[]): Promise<Fate> {
    const plan = await this.merchants.planOf(refund);
    const place = this.count(`${kind} ${refund}`);
    const fate = this.meet((plan && fates(plan)[place]) ?? 'passes');
    if (fate === 'answer slow') this.merchants.regret(refund);
    return fate;
  }

  private everyTenth(kind: string): Fate {
    const place = this.count(kind) % ONE_IN;
    return this.meet(
      place === ONE_IN - 1 ? 'answer lost' : place === ONE_IN / 2 && kind === CLAIM ? 'arrives twice' : 'passes',
    );
  }

  private meet(fate: Fate): Fate {
    if (this.isCalm || fate === 'passes') return 'passes';
    this.faults[fate] = (this.faults[fate] ?? 0) + 1;
    return fate;
  }

  private count(what: string): number {
    const before = this.counts.get(what) ?? 0;
    this.counts.set(what, before + 1);
    return before;
  }

  private noteClaim({ worker }: Request, answer: Answer | undefined, fate: Fate): void {
    for (const { id, claim } of answer?.body?.data ?? []) {
      this.workedAt = performance.now();
      this.claimants.set(id, worker);
      this.given.add(`${worker} ${id} ${claim.number}`);
      this.journal.note(id, nameOf(worker), `claims it: claim ${claim.number}${WORDS[fate]}`);
    }
  }

  private noteReport(
    { worker, body }: Request,
    { refund, name: report }: { refund: string; name: string },
    answer: Answer | undefined,
    fate: Fate,
  ): void {
    // What came back may be reported over and over.
    if (report !== 'return') this.workedAt = performance.now();
    const number = body?.claim;
    const error = answer?.body?.error;
    const isRefused = error?.code === 'refund_claimed';
    if (isRefused && number === undefined) this.misused.add(refund);
    const isOwn = number === undefined || this.given.has(`${worker} ${refund} ${number}`);
    if (!isOwn && this.refused.has(`${worker} ${refund}`)) this.misused.add(refund);
    if (isRefused) this.refused.add(`${worker} ${refund}`);
    const claim = number === undefined ? 'without a claim' : `of claim ${number}`;
    const outcome = answer ? `: ${answer.status}${error ? ` ${error.code}` : ''}` : '';
    this.journal.note(refund, nameOf(worker), `reports ${report} ${claim}${outcome}${WORDS[fate]}`);
  }
}

export const nameOf = (worker: number) => `worker ${worker + 1}`;

function said({ status, body }: Answer): string {
  const payouts: Json[] = body?.data ?? (body?.id ? [body] : []);
  if (status !== 200) return `${status} ${body?.error}`;
  return payouts.map(({ id, status }) => `${id} ${status}`).join(', ') || 'nothing there';
}

async function forward(base: string, { method, path, headers, text }: Request): Promise<Answer> {
  const passed = Object.entries(headers).filter(([header]) => !PASSED.includes(header)) as [string, string][];
  const response = await fetch(base + path, { method, headers: passed, ...(text === '' ? {} : { body: text }) });
  return { status: response.status, body: await response.json() };
}
