import { Injectable } from '@nestjs/common';
import { Config } from '../config.js';

/** Where people reach this service. Never taken from a request: anybody can send any Host. */
@Injectable()
export class PublicUrl {
  /** Without a slash at its end; undefined where nobody is to be sent here. */
  value: string | undefined;

  constructor({ publicUrl }: Config) {
    this.value = publicUrl?.replace(/\/$/, '');
  }

  /** The same without scheme and host: `/prefix`, or empty. */
  get path(): string {
    return this.value === undefined ? '' : new URL(this.value).pathname.replace(/\/$/, '');
  }
}
