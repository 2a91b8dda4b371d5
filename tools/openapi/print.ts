import { NestFactory } from '@nestjs/core';
import { AppModule, factsOf } from '../../src/app.module.js';
import { readConfig } from '../../src/platform/config.js';
import { TillgateAdapter } from '../../src/request/adapter.js';
import { ErrorResponses } from '../../src/request/errors.js';
import { documentOf } from './document.js';

const NO_DATABASE = 'postgres://nobody@localhost/nothing';

const config = readConfig({});
const facts = factsOf();
const module = AppModule.register(config, NO_DATABASE);
const application = await NestFactory.create(
  module,
  new TillgateAdapter(config, new ErrorResponses(facts)),
  {
    preview: true,
    logger: false,
  },
);
process.stdout.write(`${JSON.stringify(documentOf(application, facts), null, 2)}\n`);
