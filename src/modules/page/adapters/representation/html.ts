/** This is HTML. The tag `html` escapes all values except Html. */
export class Html {
  constructor(readonly text: string) {}
}

type Filling = Html | string | number | null | undefined | boolean | readonly Filling[];

export function html(parts: TemplateStringsArray, ...fillings: readonly Filling[]): Html {
  let text = parts[0] as string;
  fillings.forEach((filling, at) => {
    text += textOf(filling) + (parts[at + 1] as string);
  });
  return new Html(text);
}

function textOf(filling: Filling): string {
  if (filling instanceof Html) return filling.text;
  if (Array.isArray(filling)) return filling.map(textOf).join('');
  if (filling === null || filling === undefined || typeof filling === 'boolean') return '';
  return escaped(String(filling));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
