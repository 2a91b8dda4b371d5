/** Prints the OpenAPI document, which is made from decorators. Nothing is started for it. */
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { documentOf } from '../openapi/document.js';
import { readConfig } from '../platform/config.js';
import { TillgateAdapter } from '../platform/http/adapter.js';

const NO_DATABASE = 'postgres://nobody@localhost/nothing';

const config = readConfig({});
const module = AppModule.register(config, NO_DATABASE);
const application = await NestFactory.create(module, new TillgateAdapter(config), { preview: true, logger: false });
process.stdout.write(`${JSON.stringify(documentOf(application), null, 2)}\n`);
