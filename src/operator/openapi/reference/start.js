/* global Scalar */

/** The address of a service that was started on this machine, which the description has. */
const EXAMPLE = 'http://127.0.0.1:3000';

// The validation library inside Scalar otherwise tries out whether it may compile code, which this
// page forbids.
globalThis.__zod_globalConfig = { jitless: true };

addEventListener('DOMContentLoaded', async () => {
  const answer = await fetch('/openapi.json');
  const description = await answer.text();
  // A site of the documents has this page too, without a service behind it.
  const server = answer.headers.has('request-id') ? location.origin : EXAMPLE;
  Scalar.createApiReference('#reference', {
    // The commands that it shows are for the service that is asked.
    content: description.replaceAll(EXAMPLE, server),
    documentDownloadType: 'json',
    defaultOpenAllTags: true,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    orderSchemaPropertiesBy: 'preserve',
    // The code samples show where the key stands. The page has no place to type one in.
    authentication: { preferredSecurityScheme: ['secretKey', 'ledgerKey'] },
    // The page is only for reading: a secret key has no place in a browser, and the service refuses
    // an origin that no key lists.
    hideTestRequestButton: true,
    hideClientButton: true,
    // The page asks no other host: it has no fonts of others, no counter of visitors, no assistant
    // and no tools of the maker of Scalar.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    // An operation that the address names gets the focus for the keyboard's sake, and needs no
    // frame. On a phone the name of a webhook, or the hidden button behind a title, would make the
    // whole page wider.
    customCss: `section:focus-visible { outline: none }
      .operation-title, .section-header { overflow-x: clip }
      .operation-title * { overflow-wrap: anywhere }`,
  });
});
