import { Module } from '@nestjs/common';
import { OpenapiController } from './openapi.controller.js';

/** The API describes itself. */
@Module({ controllers: [OpenapiController] })
export class OpenapiModule {}
