/**
 * The documents for programs: each page as Markdown below /docs, and what the pages link to, with
 * links that lead from one to another. The service and the site have the same ones.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';

const MAP = 'src/operator/openapi/reference/llms.txt';
const ENTRY = /^- \[(?<title>[^\]]+)\]\((?<path>[^)]+\.md)\): (?<about>.+)$/;
const LINK = /(?<=\]\()(?!\w+:)(?<path>[^)#\s]+)(?=[)#])/g;
const PICTURES = ['.png', '.svg'];
/** The description is served beside the documents, without its indentation. */
const DESCRIPTION = 'docs/openapi.json';

/** @public */
export interface Page {
  readonly title: string;
  readonly path: string;
  readonly about: string;
}

/** @public */
export interface Room {
  readonly title: string;
  readonly pages: readonly Page[];
}

export interface ServedDocument {
  readonly path: string;
  readonly text: string;
}

/**
 * The rooms of the documents, in the order of llms.txt, which is the list of them.
 * @public
 */
export function rooms(): Room[] {
  const [, ...sections] = readFileSync(MAP, 'utf8').split(/^## /m);
  return sections.map((section) => {
    const [title = '', ...lines] = section.split('\n');
    const pages = lines.flatMap((line) => (ENTRY.exec(line)?.groups as Page | undefined) ?? []);
    return { title, pages };
  });
}

/**
 * Returns where a file of the repository is served. A source file is plain text to a browser.
 * @public
 */
export function servedPath(path: string): string {
  if (path === DESCRIPTION) return 'openapi.json';
  const place = path.startsWith('docs/') ? path : join('docs', path);
  return isPage(path) || PICTURES.includes(extname(path)) ? place : `${place}.txt`;
}

/** Returns all pages, and the source files that they link to. */
export function documents(): ServedDocument[] {
  const listed = rooms().flatMap(({ pages }) => pages.map(({ path }) => path));
  const paths = new Set([...listed, ...pagesBelow('docs')]);
  // A set that grows while it is read: files that a page links to come after it.
  for (const path of paths) {
    if (!isPage(path)) continue;
    for (const linked of linksOf(path)) if (linked !== DESCRIPTION) paths.add(linked);
  }
  return [...paths]
    .filter((path) => !PICTURES.includes(extname(path)))
    .map((path) => ({ path: servedPath(path), text: servedText(path) }));
}

/** Returns the map of the documents, whose links lead to where they are served. */
export function mapOfDocuments(): string {
  return withServedLinks(MAP, '', '');
}

/** Returns the pages of the map in one text, in its order. */
export function allPages(): string {
  const listed = rooms().flatMap(({ pages }) => pages);
  const texts = listed.map(({ path }) => `<!-- ${servedPath(path)} -->\n\n${servedText(path)}`);
  return texts.join('\n\n');
}

function servedText(path: string): string {
  if (!isPage(path)) return readFileSync(path, 'utf8');
  return withServedLinks(path, dirname(path), dirname(servedPath(path)));
}

/**
 * Replaces links between files of the repository by those between the places where they are served.
 */
function withServedLinks(path: string, from: string, servedFrom: string): string {
  const served = (link: string) => relative(servedFrom, servedPath(join(from, link)));
  return readFileSync(path, 'utf8').replaceAll(LINK, (link) =>
    link.startsWith('/') ? link : served(link),
  );
}

function linksOf(path: string): string[] {
  const links = readFileSync(path, 'utf8').match(LINK) ?? [];
  return links.filter((link) => !link.startsWith('/')).map((link) => join(dirname(path), link));
}

function pagesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : pagesBelow(path);
    return isPage(path) ? [path] : [];
  });
}

function isPage(path: string): boolean {
  return extname(path) === '.md';
}
