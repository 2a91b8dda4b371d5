import { ArrayUnique } from 'class-validator';
import { ALL_EVENTS } from '../platform/facts.js';
import { type About, ListOf, OneOf, WebUrl } from './fields.js';

/** An item of a list of texts. class-validator reports which object of a list is wrong, but not which text. */
export class UrlItem {
  @WebUrl() value!: string;
}

export class WantedEventItem {
  @OneOf(({ eventTypes }) => [ALL_EVENTS, ...eventTypes]) value!: string;
}

export const ListOfUrls = ({ max, ...about }: About & { max: number }) =>
  ListOf(() => UrlItem, { as: 'items', max, ...about });

export const WantedEvents = (about: About = {}) =>
  ListOf(
    () => WantedEventItem,
    { as: 'items', min: 1, max: 100, ...about },
    ArrayUnique((item: WantedEventItem) => item.value, { message: 'must name each type once' }),
  );
