import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { Declarations } from '../../platform/module-declaration.js';
import { OPERATION } from '../route.js';
import { fieldsOf } from './constraints.js';
import { inputOf } from './route-input.js';

/** Reads the request classes of all routes at the start, which fails if one cannot be validated. */
@Injectable()
export class CheckedRoutes implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly methods: MetadataScanner,
    private readonly declarations: Declarations,
  ) {}

  onModuleInit(): void {
    for (const { metatype } of this.discovery.getControllers()) this.check(metatype as Type);
  }

  private check(controller: Type): void {
    const { prototype } = controller;
    for (const name of this.methods.getAllMethodNames(prototype)) {
      if (!Reflect.hasMetadata(OPERATION, prototype[name])) continue;
      const { body, query } = inputOf(controller, name);
      for (const request of [body, query]) if (request) fieldsOf(request, this.declarations);
    }
  }
}
