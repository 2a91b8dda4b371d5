import { All, Catch, Controller, NotFoundException, UseFilters } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TakesForm } from '../../../../request/body.guard.js';
import { ErrorFilter } from '../../../../request/error.filter.js';
import { statusOf } from '../../../../request/errors.js';
import type { HttpResponse } from '../../../../request/response.js';
import { Public } from '../../../../request/route.js';
import type { Refusal } from '../../../../shared/errors.js';
import { missingPageView } from '../representation/document.views.js';
import { pageResponse } from './page-response.js';

@Catch()
export class PageErrorFilter extends ErrorFilter {
  protected override answer(refusal: Refusal, { headers }: FastifyRequest): HttpResponse {
    const status = statusOf(refusal);
    return pageResponse(status, missingPageView(status, headers['accept-language']));
  }
}

/** Answers wrong methods and unknown paths below /c with a page, because customers see it. */
@Controller('c/*')
@Public()
@UseFilters(PageErrorFilter)
export class MissingPageController {
  @All()
  @TakesForm()
  missing(): never {
    throw new NotFoundException();
  }
}
