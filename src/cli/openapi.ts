/** Prints the API's description. Nothing is started for it: the decorators say everything. */
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { readConfig } from '../platform/config.js';
import { documentOf } from '../platform/openapi/document.js';
import { controllersOf, printed } from '../platform/openapi/openapi.controller.js';

/** Never connected to. */
const NO_DATABASE = 'postgres://nobody@localhost/nothing';

const module = AppModule.register(readConfig({}), NO_DATABASE);
const context = await NestFactory.createApplicationContext(module, { preview: true, logger: false });
process.stdout.write(printed(documentOf(controllersOf(context.get(ModulesContainer)))));
