/**
 * The site of the documents, which are Markdown as GitHub shows it: `npm run docs` builds
 * dist/docs.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { defineConfig } from 'vitepress';
import {
  allPages,
  documents,
  mapOfDocuments,
  rooms,
  servedPath,
} from '../../dist/tools/documents.js';
import { asDiagrams } from './diagrams.js';

const ROOT = resolve(import.meta.dirname, '../..');
const MERMAID = 'docs/node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js';
/** The build has packed the reference of the API, which the service shows at the same addresses. */
const REFERENCE = 'dist/reference';
const REFERENCE_FILES = {
  'index.html': 'docs/index.html',
  'start.js': 'docs/start.js',
  'scalar.js': 'docs/scalar.js',
  'icon.svg': 'docs/icon.svg',
  'openapi.json': 'openapi.json',
};

/** Without it, a line that takes long on a busy machine has other colors than elsewhere. */
const WHOLE_COLORS = {
  name: 'whole-colors',
  preprocess: (_, options) => {
    options.tokenizeTimeLimit = 0;
  },
};

const addressOf = (path) => (path === 'README.md' ? '/' : `/${path.replace(/\.md$/, '')}`);
/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-');

const sections = rooms().map(({ title, pages }) => ({
  text: title,
  items: pages.map(({ title, path }) => ({ text: title, link: addressOf(path) })),
}));

export default defineConfig({
  title: 'Tillgate',
  description: 'Checkout sessions and refunds over HTTP, in front of a platform’s own ledger.',
  lang: 'en',
  srcDir: '..',
  srcExclude: [
    '{bench,dist,docker,drill,migrations,src,test,tools}/**',
    '**/node_modules/**',
    'client/dist/**',
  ],
  outDir: '../dist/docs',
  cacheDir: '../dist/docs-cache',
  rewrites: { 'README.md': 'index.md' },
  // Pages are indexed in their order, so that two builds have the same bytes.
  buildConcurrency: 1,
  head: [['link', { rel: 'icon', href: '/docs/icon.svg' }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },
    codeTransformers: [WHOLE_COLORS],
    config: (markdown) => {
      asDiagrams(markdown);
      markdown.core.ruler.push('files', linkServedFiles);
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      ...sections.map(({ text, items: [first] }) => ({ text, link: first.link })),
      { text: 'API', link: '/docs/', target: '_self' },
    ],
    sidebar: sections,
    outline: [2, 3],
  },
  buildEnd: ({ outDir }) => writeFiles(outDir),
});

/** A link to a file that is no page leads to the copy that the site has of it. */
function linkServedFiles({ tokens, env }) {
  const folder = dirname(relative(ROOT, env.path));
  const links = tokens
    .flatMap(({ children }) => children ?? [])
    .filter(({ type }) => type === 'link_open');
  for (const link of links) {
    const href = link.attrGet('href');
    if (/^(\w+:|#|\/)/.test(href) || /\.md(#|$)/.test(href)) continue;
    link.attrSet('href', `/${servedPath(join(folder, href))}`);
    link.attrSet('target', '_blank');
  }
}

function writeFiles(outDir) {
  const write = (path, content) => {
    mkdirSync(dirname(join(outDir, path)), { recursive: true });
    writeFileSync(join(outDir, path), content);
  };
  for (const { path, text } of documents()) write(path, text);
  for (const [name, path] of Object.entries(REFERENCE_FILES))
    write(path, gunzipSync(readFileSync(join(ROOT, REFERENCE, `${name}.gz`))));
  write('llms.txt', mapOfDocuments());
  write('llms-full.txt', allPages());
  copyFileSync(join(ROOT, MERMAID), join(outDir, basename(MERMAID)));
}
