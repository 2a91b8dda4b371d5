import { Param, type PipeTransform } from '@nestjs/common';
import { invalidParams, paramError } from '../shared/errors.js';
import { type IdKind, isId } from '../shared/id.js';

/** The `:id` of a path, refused when it cannot be an identifier of the kind: then it is malformed, not unknown. */
export const PathId = (kind: IdKind): ParameterDecorator => Param('id', new PathIdPipe(kind));

export class PathIdPipe implements PipeTransform<string, string> {
  constructor(readonly kind: IdKind) {}

  transform(id: string): string {
    if (isId(this.kind, id)) return id;
    throw invalidParams([
      paramError('id', 'invalid_format', `id must be an identifier that begins with ${this.kind.prefix}_.`),
    ]);
  }
}
