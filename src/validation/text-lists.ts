/** Lists of texts in request classes. */
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, ValidateNested } from 'class-validator';
import { facts } from '../platform/facts.js';
import type { RequestClass } from './constraints.js';
import { type About, field, OneOf, WebUrl } from './fields.js';

/** An item of a list of texts. class-validator reports which object of a list is wrong, but not which text. */
export class UrlItem {
  @WebUrl() value!: string;
}

export class WantedEventItem {
  @OneOf(facts.wantedEvents) value!: string;
}

export const ListOfUrls = ({ max, ...about }: About & { max: number }) => listOf(() => UrlItem, max, about);

/** Types of events, or `*` for all of them. */
export const WantedEvents = (about: About = {}) =>
  listOf(
    () => WantedEventItem,
    100,
    about,
    ArrayMinSize(1, { message: 'must have at least $constraint1 entries' }),
    ArrayUnique((item: WantedEventItem) => item.value, { message: 'must name each type once' }),
  );

function listOf(type: () => RequestClass, max: number, about: About, ...rules: PropertyDecorator[]): PropertyDecorator {
  return field(
    about,
    Type(type),
    IsArray({ message: 'must be an array' }),
    ArrayMaxSize(max, { message: 'must have at most $constraint1 entries' }),
    ...rules,
    ValidateNested({ each: true, context: { type, as: 'items' } }),
  );
}
