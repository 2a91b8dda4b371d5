import { Controller, Get, Res, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { Gated } from '../http/gate.js';
import { type Document, documentOf } from './document.js';

/** How long a client may go on with a description that a new release has changed: it only ever grows. */
export const CACHE = 'public, max-age=300';

/** The API's description, for people's tools. It is open, as what it describes is no secret. */
@Controller()
@Gated('open')
export class OpenapiController {
  private text: string | undefined;

  constructor(private readonly modules: ModulesContainer) {}

  @Get('openapi.json')
  async describe(@Res() reply: FastifyReply): Promise<void> {
    this.text ??= printed(documentOf(controllersOf(this.modules)));
    await reply.headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': CACHE }).send(this.text);
  }
}

export function controllersOf(modules: ModulesContainer): Type[] {
  return [...modules.values()].flatMap(({ controllers }) =>
    [...controllers.values()].map(({ metatype }) => metatype as Type),
  );
}

export function printed(document: Document): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
