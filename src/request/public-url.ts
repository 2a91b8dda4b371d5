import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config.js';

/** The URL at which customers reach this service. It is never taken from a request: a caller can send any Host header. */
@Injectable()
export class PublicUrl {
  /** Without a trailing slash. Undefined if customers are not sent to this service. */
  value: string | undefined;

  constructor({ publicUrl }: Config) {
    this.value = publicUrl?.replace(/\/$/, '');
  }

  get path(): string {
    return this.value === undefined ? '' : new URL(this.value).pathname.replace(/\/$/, '');
  }
}
