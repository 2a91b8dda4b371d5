import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config.js';

/**
 * Customers reach this service at this URL. It is never taken from a request, because a caller can
 * send any Host header.
 */
@Injectable()
export class PublicUrl {
  /** The URL has no slash at its end. It is undefined if customers are not sent to this service. */
  value: string | undefined;

  constructor({ publicUrl }: Config) {
    this.value = publicUrl?.replace(/\/$/, '');
  }

  get path(): string {
    return this.value === undefined ? '' : new URL(this.value).pathname.replace(/\/$/, '');
  }
}
