import { Injectable } from '@nestjs/common';
import { MODES } from '../../../shared/caller.js';
import { notFound } from '../../../shared/errors.js';
import type { Page, PageRequest } from '../../../shared/page.js';
import {
  ManageOrganizations,
  type Organization,
  type OrganizationSettings,
  Organizations,
} from '../../access/index.js';
import { Pages, type PaymentUrls, SetPaymentUrl } from '../../page/index.js';

/** An organization as a whole: its settings, and where its customers pay. */
export interface Merchant {
  readonly organization: Organization;
  readonly paymentUrl: PaymentUrls;
}

export interface MerchantChange extends Partial<OrganizationSettings> {
  readonly paymentUrl?: Partial<PaymentUrls> | undefined;
}

@Injectable()
export class ManageMerchants {
  constructor(
    private readonly organizations: Organizations,
    private readonly manage: ManageOrganizations,
    private readonly pages: Pages,
    private readonly setPaymentUrl: SetPaymentUrl,
  ) {}

  /** Refuses an ID in a path that no organization has with not_found. */
  async require(id: string): Promise<void> {
    if (!(await this.organizations.exists(id))) throw notFound('id');
  }

  /** Refuses with not_found. */
  async get(id: string): Promise<Merchant> {
    return this.of(await this.organizations.byId(id));
  }

  async of(organization: Organization): Promise<Merchant> {
    return (await this.withUrls([organization]))[0] as Merchant;
  }

  /** Newest first. */
  async list(request: PageRequest, reference: string | undefined): Promise<Page<Merchant>> {
    const page = await this.organizations.page(request, reference);
    return { ...page, items: await this.withUrls(page.items) };
  }

  /** Sets what is given, in the open transaction; null removes it. Refuses with not_found and invalid_param. */
  async change(id: string, { paymentUrl = {}, ...settings }: MerchantChange): Promise<Merchant> {
    const organization = await this.manage.change(id, settings);
    for (const mode of MODES) {
      const url = paymentUrl[mode];
      if (url !== undefined) await this.setPaymentUrl.ofOrganization({ organization: id, mode }, url);
    }
    return this.of(organization);
  }

  private async withUrls(organizations: readonly Organization[]): Promise<Merchant[]> {
    const urls = await this.pages.paymentUrlsOf(organizations.map(({ id }) => id));
    return organizations.map((organization, at) => ({ organization, paymentUrl: urls[at] as PaymentUrls }));
  }
}
