import { Catch } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ErrorFilter } from '../../../../request/error.filter.js';
import { statusOf } from '../../../../request/errors.js';
import type { HttpResponse } from '../../../../request/response.js';
import type { Refusal } from '../../../../shared/errors.js';
import { missingPageView } from '../representation/missing-page.views.js';
import { pageResponse } from './page-response.js';

@Catch()
export class PageErrorFilter extends ErrorFilter {
  protected override answer(refusal: Refusal, { headers }: FastifyRequest): HttpResponse {
    const status = statusOf(refusal);
    return pageResponse(status, missingPageView(status, headers['accept-language']));
  }
}
