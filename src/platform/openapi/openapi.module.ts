import { Module } from '@nestjs/common';
import { OpenapiController } from './openapi.controller.js';
import { ReferenceController } from './reference.controller.js';

/** The API describes itself. */
@Module({ controllers: [OpenapiController, ReferenceController] })
export class OpenapiModule {}
