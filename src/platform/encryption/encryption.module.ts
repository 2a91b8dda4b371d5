import { Global, Module } from '@nestjs/common';
import { Encryption } from './encryption.js';

/** Global: stored responses and modules keep secrets. */
@Global()
@Module({ providers: [Encryption], exports: [Encryption] })
export class EncryptionModule {}
