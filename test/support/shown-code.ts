/** Returns the code of a page, under the path that is named before it. */
export const shownIn = (page: string) =>
  [...page.matchAll(/^(Add to .*)?`([^`\n]+)`(.*)\n\n```(?:ts|text)\n([\s\S]*?)\n```$/gm)].map(
    ([, added, path = '', , code = '']) => ({ isLine: added !== undefined, path, code }),
  );

/** Removes the indent, because Biome moves code on a page to the left. */
export const flat = (code: string) => code.replaceAll(/^ +/gm, '');
