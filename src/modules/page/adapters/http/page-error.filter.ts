import { Catch } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ErrorFilter } from '../../../../platform/http/error.filter.js';
import { statusOf } from '../../../../platform/http/errors.js';
import type { HttpResponse } from '../../../../platform/http/response.js';
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
