/** What the browser gets inside each page. The policy of the page lets it have this and nothing else, by its hash. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Html } from './html.js';

export const STYLE = read('page.css');
export const SCRIPT = read('page.js');

function read(name: string): { readonly html: Html; readonly source: string } {
  const text = readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8');
  return { html: new Html(text), source: `'sha256-${createHash('sha256').update(text).digest('base64')}'` };
}
