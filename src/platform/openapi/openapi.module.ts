import { Module } from '@nestjs/common';
import { OpenapiController } from './openapi.controller.js';
import { ReferenceController } from './reference.controller.js';

@Module({ controllers: [OpenapiController, ReferenceController] })
export class OpenapiModule {}
