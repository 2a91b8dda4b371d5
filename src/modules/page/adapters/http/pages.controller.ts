import { Controller, Get } from '@nestjs/common';
import { Caller, Operation, Tag } from '../../../../request/route.js';
import { NoFieldsRequest, PathId, ValidQuery } from '../../../../request/validation/validation.js';
import { NOT_FOUND, Refusal } from '../../../../shared/errors.js';
import { inModeOf } from '../../../../shared/own-id.js';
import {
  CHECKOUT_SESSION_ID,
  CheckoutSessionQueries,
  PageLinks,
  SESSION_RESOURCE,
} from '../../../checkout/index.js';
import { CHECKOUT_PAGE, pageView } from '../representation/pages.views.js';

@Controller(SESSION_RESOURCE.secret.path)
@Tag('Pages', 'The page on which a customer pays a checkout session.')
export class PagesController {
  constructor(
    private readonly sessions: CheckoutSessionQueries,
    private readonly links: PageLinks,
  ) {}

  @Operation('readCheckoutPage', {
    summary: 'Retrieve the page of a checkout session',
    description:
      'Returns the URL of the page, which never changes. Redirect the customer to `url`, or ' +
      'show `embed_url` in a frame.',
    answers: { 200: { description: 'The page.', schema: CHECKOUT_PAGE } },
  })
  @Get(':id/page')
  async read(
    @Caller() caller: Caller,
    @PathId(CHECKOUT_SESSION_ID) id: string,
    @ValidQuery() _query: NoFieldsRequest,
  ) {
    const { state } = await this.sessions.get(...inModeOf(id, caller));
    const url = this.links.urlOf(caller.organization, id);
    if (url === undefined)
      throw new Refusal(NOT_FOUND, 'This service serves no pages: PUBLIC_URL is not set.');
    return pageView(state, url);
  }
}
