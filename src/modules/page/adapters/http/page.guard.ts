import { type CanActivate, Injectable } from '@nestjs/common';
import { PublicUrl } from '../../../../platform/http/public-url.js';
import { notFound } from '../../../../shared/errors.js';

/** Pages are served only if PUBLIC_URL is set, or on the embedded database. */
@Injectable()
export class PageGuard implements CanActivate {
  constructor(private readonly publicUrl: PublicUrl) {}

  canActivate(): boolean {
    if (this.publicUrl.value === undefined) throw notFound('token');
    return true;
  }
}
