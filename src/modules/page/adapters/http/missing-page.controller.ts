import { All, Controller, NotFoundException, UseFilters } from '@nestjs/common';
import { TakesForm } from '../../../../request/body.guard.js';
import { Public } from '../../../../request/credential.js';
import { PageErrorFilter } from './page-error.filter.js';

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
