import { NestFactory } from '@nestjs/core';
import { AppModule, declarationsOf } from '../../src/app.module.js';
import { readConfig } from '../../src/platform/config.js';
import { TillgateAdapter } from '../../src/request/adapter.js';
import { ErrorResponses } from '../../src/request/errors.js';
import { documentOf } from './document.js';

const NO_DATABASE = 'postgres://nobody@localhost/nothing';

const config = readConfig({});
const declarations = declarationsOf();
const module = AppModule.register(config, NO_DATABASE);
const application = await NestFactory.create(
  module,
  new TillgateAdapter(config, new ErrorResponses(declarations)),
  {
    preview: true,
    logger: false,
  },
);
process.stdout.write(`${JSON.stringify(documentOf(application, declarations), null, 2)}\n`);
