/**
 * Sees and notes every request of the workers, and compares each report with what the provider has
 * then.
 */
import type { Activity } from './activity.js';
import type { Answer, Json } from './api.js';
import type { Journal, Moment } from './journal.js';
import type { Request } from './line.js';
import type { Merchants } from './merchants.js';
import type { Provider } from './provider.js';
import type { Fate } from './scenes.js';
import { type Rule, untruths } from './verdict.js';

export const CLAIM = '/ledger/v1/refunds/claim';
const RECORD = 'POST /ledger/v1/refunds';
const REPORT = /^\/ledger\/v1\/refunds\/(\w+)\/(succeed|fail|extend|release|return)$/;

const WORDS: Readonly<Record<Fate, string>> = {
  passes: '',
  'request lost': ' (the request is lost)',
  'request late': ' (no answer: the request is late)',
  'answer lost': ' (the answer is lost)',
  'arrives twice': ' (it arrives twice)',
  'worker killed': ' (no answer)',
  'answer late': ' (no answer before the clock moves)',
  'never answered': ' (no answer, and the connection stays open)',
  'answer slow': '',
  'server error': ' (the answer is an error of 500 or above)',
  overtaken: ' (the answer came after another claim)',
  'no balance': '',
  unavailable: '',
  'too many requests': '',
};
const UNHEARD: Partial<Record<Fate, string>> = {
  'request late': ' (the late request arrives)',
  'arrives twice': ' (the second arrival, whose answer nobody hears)',
};

/** The same refused call may be sent so often in a row. */
const MOST_REFUSALS = 20;

interface Refused {
  readonly call: string;
  readonly times: number;
}

type Note = (answer: Answer | undefined, fate: Fate) => Promise<void>;

export class Witness {
  readonly seen = new Map<string, Set<Rule>>();
  private readonly given = new Set<string>();
  /** The worker that was given each refund last. */
  private readonly claimants = new Map<string, number>();
  private readonly refused = new Set<string>();
  /** The last call of each worker, if it was refused. */
  private readonly lastRefused = new Map<number, Refused>();

  constructor(
    private readonly merchants: Merchants,
    private readonly provider: Provider,
    private readonly journal: Journal,
    private readonly activity: Activity,
  ) {}

  claimantOf(refund: string): number | undefined {
    return this.claimants.get(refund);
  }

  receiveForTillgate(request: Request): Note {
    const [moment, { hour }] = [
      this.arrival(request, reportOf(request.path).refund),
      this.activity,
    ];
    return async (answer, fate) => {
      if (this.isOfDashboard(request)) return;
      if (reportIn(request, answer).refund) return this.noteReport(request, moment, answer, fate);
      const isClaim = request.path === CLAIM;
      this.activity.wasAsked = true;
      this.lastRefused.delete(request.worker);
      const claimed = isClaim ? this.noteClaims(request, moment, answer, fate) : [];
      if (!isHeard(request, fate)) return;
      this.activity.hears({ worker: request.worker, isClaim, refunds: claimed, hour });
    };
  }

  receiveForProvider(request: Request): Note {
    const { worker, method, path, headers, body } = request;
    const refund = method === 'POST' ? body?.refund : this.lookedAt(path);
    const moment = this.arrival(request, refund);
    return async (answer, fate) => {
      this.lastRefused.delete(worker);
      if (!refund) return;
      this.activity.works(worker, refund, method);
      // A payout of the provider is a fact, which every worker may report.
      if (method === 'GET' && payoutsIn(answer).length > 0)
        this.refused.delete(`${worker} ${refund}`);
      else if (method === 'GET' && isHeard(request, fate)) this.activity.mayActOn(worker, [refund]);
      const key = String(headers['idempotency-key']);
      if (method === 'POST') this.notePayout(refund, key, request, fate);
      const asked =
        method === 'POST' ? `pays ${body.amount} ${body.currency}, key ${key}` : 'looks';
      const what = `${asked}${answer ? `: ${said(answer)}` : ''}${wordsOf(request, fate)}`;
      this.journal.note(refund, nameOf(worker), what, moment);
    };
  }

  /** Returns the refund that a request to the provider is about, or ''. */
  lookedAt(path: string): string {
    const { pathname, searchParams } = new URL(path, 'http://provider');
    const payout = this.provider.book.find(({ id }) => pathname === `/refunds/${id}`);
    return payout?.refund ?? searchParams.get('refund') ?? '';
  }

  private arrival({ worker, isUnheard }: Request, refund: string): Moment {
    this.activity.onRequest();
    if (!isUnheard) this.activity.goesOn(worker, refund);
    return this.journal.moment();
  }

  private notePayout(refund: string, key: string, { isUnheard }: Request, fate: Fate): void {
    if (fate === 'request late') this.provider.onTheWay[isUnheard ? 'delete' : 'add'](refund);
    if (this.merchants.isUnapproved(refund)) this.see(refund, 'unapproved');
    const first = this.provider.firstRefundOf(key);
    if (first !== undefined && first !== refund) this.see(refund, 'shared key');
    if (this.merchants.plan(refund)?.regret === 'when it is paid') this.merchants.regret(refund);
  }

  private noteClaims(
    request: Request,
    moment: Moment,
    answer: Answer | undefined,
    fate: Fate,
  ): string[] {
    const { worker, isUnheard } = request;
    const claimed: Json[] = answer?.body?.data ?? [];
    for (const { id, claim } of claimed) {
      this.journal.note(
        id,
        nameOf(worker),
        `claims it: claim ${claim.number}${wordsOf(request, fate)}`,
        moment,
      );
      if (isUnheard) continue;
      this.activity.works(worker, id, CLAIM);
      this.claimants.set(id, worker);
      this.given.add(`${worker} ${id} ${claim.number}`);
    }
    return claimed.map(({ id }) => id);
  }

  private async noteReport(
    request: Request,
    moment: Moment,
    answer: Answer | undefined,
    fate: Fate,
  ): Promise<void> {
    const { worker, body } = request;
    const { refund, name } = reportIn(request, answer);
    const number = body?.claim;
    const error = answer?.body?.error;
    this.activity.works(worker, refund, name);
    this.noteClaimNumber(worker, refund, number, error?.code === 'refund_claimed');
    this.noteOrganization(refund, body?.organization);
    if (!request.isUnheard) this.noteRefusal(refund, request, answer);
    const untrue = answer && answer.status < 300 ? this.untruthsOf(refund, name, body) : [];
    for (const rule of untrue) this.see(refund, rule);
    const claim = number === undefined ? 'without a claim' : `of claim ${number}`;
    const named = untrue.includes('reference')
      ? `, as ${this.nameOf(body.provider_reference)}`
      : '';
    const outcome = answer ? `: ${answer.status}${error ? ` ${error.code}` : ''}` : '';
    const what = `reports ${name} ${claim}${named}${outcome}${wordsOf(request, fate)}`;
    this.journal.note(refund, nameOf(worker), what, moment);
    if (answer?.status === 200 && name === 'release') await this.merchants.cancel(refund);
  }

  private noteClaimNumber(
    worker: number,
    refund: string,
    number: unknown,
    isRefused: boolean,
  ): void {
    if (isRefused && number === undefined) this.see(refund, 'claim number');
    const isOwn = number === undefined || this.given.has(`${worker} ${refund} ${number}`);
    if (!isOwn && this.refused.has(`${worker} ${refund}`)) this.see(refund, 'claim number');
    if (isRefused) this.refused.add(`${worker} ${refund}`);
  }

  /** A worker may record a payout of the dashboard before the merchant does. */
  private isOfDashboard({ method, path, body }: Request): boolean {
    if (`${method} ${path}` !== RECORD) return false;
    return this.provider.isOfDashboard(body?.provider_reference);
  }

  /** A report may name the organization of its refund. */
  private noteOrganization(refund: string, named: unknown): void {
    const plan = this.merchants.plan(refund);
    if (!plan || named === undefined || named === null) return;
    if (named !== this.merchants.organizationOf(plan)) this.see(refund, 'organization');
  }

  private noteRefusal(refund: string, request: Request, answer: Answer | undefined): void {
    const { worker, method, path, text } = request;
    const status = answer?.status ?? 0;
    const isRefused = status >= 400 && status < 500 && ![409, 429].includes(status);
    if (!isRefused) return void this.lastRefused.delete(worker);
    const call = `${method} ${path} ${text}`;
    const last = this.lastRefused.get(worker);
    const times = last?.call === call ? last.times + 1 : 1;
    this.lastRefused.set(worker, { call, times });
    if (times > MOST_REFUSALS) this.see(refund, 'repeated');
  }

  private untruthsOf(refund: string, name: string, body: Json): Rule[] {
    const { provider } = this;
    const [isOnTheWay, isDeclined] = [provider.onTheWay.has(refund), provider.declined.has(refund)];
    const report = { name, reference: body?.provider_reference };
    return untruths(report, { payouts: provider.payoutsOf(refund), isOnTheWay, isDeclined });
  }

  /** Notes that the worker has not given up a call that was never answered. */
  seeNoTimeout(request: Request): void {
    const { refund } = reportOf(request.path);
    this.see(refund || String(request.body?.refund), 'no time-out');
  }

  see(refund: string, rule: Rule): void {
    this.seen.set(refund, (this.seen.get(refund) ?? new Set()).add(rule));
  }

  private nameOf(payout: string): string {
    const { refund } = this.provider.book.find(({ id }) => id === payout) ?? {};
    return refund ? `${payout}, the payout of ${refund}` : payout;
  }
}

export const nameOf = (worker: number) => `worker ${worker + 1}`;

export function reportOf(path: string): { readonly refund: string; readonly name: string } {
  const [, refund = '', name = ''] = REPORT.exec(path) ?? [];
  return { refund, name };
}

/** A payout that is recorded as made elsewhere belongs to the refund that the answer names. */
const reportIn = ({ method, path }: Request, answer: Answer | undefined) =>
  `${method} ${path}` === RECORD
    ? { refund: answer?.body?.id ?? '', name: 'succeed' }
    : reportOf(path);

const isHeard = ({ isUnheard }: Request, fate: Fate) =>
  !isUnheard && (fate === 'passes' || fate === 'arrives twice');
const wordsOf = ({ isUnheard }: Request, fate: Fate) =>
  (isUnheard ? UNHEARD[fate] : undefined) ?? WORDS[fate];

function payoutsIn(answer: Answer | undefined): Json[] {
  return answer?.body?.data ?? (answer?.body?.id ? [answer.body] : []);
}

function said(answer: Answer): string {
  if (answer.status !== 200) return `${answer.status} ${answer.body?.error}`;
  const payouts = payoutsIn(answer);
  return payouts.map(({ id, status }) => `${id} ${status}`).join(', ') || 'nothing there';
}
