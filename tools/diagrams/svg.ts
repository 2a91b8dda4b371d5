/** Parts of pictures as SVG. */

export const round = (value: number) => Math.round(value * 10) / 10;

export function text(x: number, y: number, words: string, anchor = 'start'): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

/** A whole picture, whose title is read to those who cannot see it. */
export function svg(
  [width, height]: readonly [number, number],
  title: string,
  parts: readonly string[],
): string {
  const frame = `viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${frame}>\n${parts.join('\n')}\n</svg>\n`;
}

const escaped = (words: string) =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
