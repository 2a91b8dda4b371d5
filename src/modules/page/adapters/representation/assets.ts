/** The style and script inside each page. The page's policy allows only these, by their hashes. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Html } from './html.js';

export const STYLE = read('page.css');
export const SCRIPT = read('page.js');

function read(name: string): { readonly html: Html; readonly source: string } {
  const text = readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8');
  return { html: new Html(text), source: `'sha256-${createHash('sha256').update(text).digest('base64')}'` };
}
