/**
 * `npm run check` checks these boundaries of the source. test/architecture/boundaries.test.ts
 * breaks each rule, and fails when a path here matches no real file: a rule about a folder that
 * does not exist checks nothing.
 */

/** A module imports only modules to its left. */
const MODULES_IN_ORDER = [
  'access',
  'events',
  'webhooks',
  'checkout',
  'payments',
  'page',
  'refunds',
  'sandbox',
];

/** Makes one rule for each module but the last: it imports none of the modules to its right. */
const modulesPointOneWay = MODULES_IN_ORDER.slice(0, -1).map((name, place) => ({
  name: 'modules-point-one-way',
  severity: 'error',
  comment: `Modules know each other in one direction: ${MODULES_IN_ORDER.toReversed().join(' → ')}.`,
  from: { path: `^src/modules/${name}/` },
  to: { path: `^src/modules/(${MODULES_IN_ORDER.slice(place + 1).join('|')})/` },
}));

/** Every module stands on these folders. Each of them imports only folders to its left. */
const FOUNDATION_IN_ORDER = ['platform', 'persistence', 'request'];

const foundationHasOneOrder = FOUNDATION_IN_ORDER.slice(0, -1).map((name, place) => ({
  name: 'foundation-has-one-order',
  severity: 'error',
  comment: `What modules stand on knows itself in one direction: ${FOUNDATION_IN_ORDER.toReversed().join(' → ')}.`,
  from: { path: `^src/${name}/` },
  to: { path: `^src/(${FOUNDATION_IN_ORDER.slice(place + 1).join('|')})/` },
}));

module.exports = {
  forbidden: [
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment:
        'A domain imports itself and shared, shared only itself: no package, nothing of node.',
      from: { path: '^src/(shared|modules/[^/]+/domain)/' },
      to: { pathNot: ['^src/shared/', '^src/$1/'] },
    },
    {
      name: 'application-knows-only-domain',
      severity: 'error',
      comment:
        'A use case talks to its domain, its ports and other modules; of Nest it knows that it is injectable.',
      from: { path: '^src/modules/([^/]+)/application/' },
      to: {
        pathNot: [
          '^src/shared/',
          '^src/modules/$1/(domain|application)/',
          '^src/modules/[^/]+/index\\.ts$',
          'node_modules/@nestjs/common/',
        ],
      },
    },
    {
      name: 'modules-meet-at-index',
      severity: 'error',
      comment: 'The index.ts of a module is its port: what another module may use stands there.',
      from: { path: '^src/modules/([^/]+)/(adapters/|resources\\.ts$|[^/]+\\.module\\.ts$)' },
      to: {
        path: '^src/modules/',
        pathNot: ['^src/modules/$1/', '^src/modules/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'modules-meet-at-index',
      severity: 'error',
      comment: 'A module shows its own things only: its index.ts passes no other module on.',
      from: { path: '^src/modules/([^/]+)/index\\.ts$' },
      to: { path: '^src/modules/', pathNot: '^src/modules/$1/' },
    },
    {
      name: 'modules-meet-at-index',
      severity: 'error',
      comment:
        'The composition root, processes and tools know modules by their index.ts too. Examples run the domain.',
      from: {
        path: '^(src/([^/]+\\.ts$|operator/process/)|tools/)',
        pathNot: '^tools/openapi/examples/',
      },
      to: { path: '^src/modules/', pathNot: '^src/modules/[^/]+/index\\.ts$' },
    },
    {
      name: 'modules-meet-at-index',
      severity: 'error',
      comment: 'So does the command line, which also prints resources as the API shows them.',
      from: { path: '^src/operator/cli/' },
      to: {
        path: '^src/modules/',
        pathNot: [
          '^src/modules/[^/]+/index\\.ts$',
          '^src/modules/[^/]+/adapters/representation/[^/]+\\.views\\.ts$',
        ],
      },
    },
    {
      name: 'index-shows-no-adapter',
      severity: 'error',
      comment:
        'A module shows its use cases, ports, domain, resources and views, which are pure functions.',
      from: { path: '^src/modules/([^/]+)/index\\.ts$' },
      to: {
        path: '^src/modules/$1/adapters/',
        pathNot: '^src/modules/$1/adapters/representation/',
      },
    },
    ...modulesPointOneWay,
    {
      name: 'adapters-stand-apart',
      severity: 'error',
      comment:
        'An adapter knows no other adapter of its module; what several show stands in representation/.',
      from: { path: '^src/modules/([^/]+)/adapters/([^/]+)/' },
      to: {
        path: '^src/modules/$1/adapters/',
        pathNot: '^src/modules/$1/adapters/($2|representation)/',
      },
    },
    {
      name: 'controllers-do-not-write',
      severity: 'error',
      comment:
        'A route writes through Idempotency alone, which stores its response in the same transaction.',
      from: { path: '^src/modules/[^/]+/adapters/http/' },
      to: { path: '^src/persistence/' },
    },
    {
      name: 'platform-knows-no-module',
      severity: 'error',
      comment: 'What serves any module knows none, and not the composition root either.',
      from: { path: '^src/(platform|persistence|request)/' },
      to: { path: ['^src/modules/', '^src/[^/]+\\.ts$'] },
    },
    {
      name: 'operator-is-the-roof',
      severity: 'error',
      comment:
        'To serve a request takes no process, command, migration or metric: only the composition root knows them.',
      from: { path: '^src/', pathNot: ['^src/operator/', '^src/(main|app\\.module)\\.ts$'] },
      to: { path: '^src/operator/' },
    },
    {
      name: 'operator-is-the-roof',
      severity: 'error',
      comment: 'What processes and commands stand on knows neither them nor each other.',
      from: { path: '^src/operator/(embedded-postgres|migrate|openapi|telemetry)/' },
      to: { path: '^src/operator/', pathNot: '^src/operator/$1/' },
    },
    ...foundationHasOneOrder,
    {
      name: 'foundation-has-one-order',
      severity: 'error',
      comment: 'Encryption stands on the database, which knows no encrypted column.',
      from: { path: '^src/persistence/(batch|citus|[^/]+\\.ts$)' },
      to: { path: '^src/persistence/encryption/' },
    },
    {
      name: 'foundation-has-one-order',
      severity: 'error',
      comment:
        'On the road of a request, the key comes before the body is validated, and errors before both.',
      from: { path: '^src/request/(idempotency/|[^/]+\\.ts$)' },
      to: { path: '^src/request/(idempotency|validation)/', pathNot: '^src/request/$1' },
    },
    {
      name: 'batch-is-private',
      severity: 'error',
      comment:
        'How the writes of requests go together is known to persistence alone: others use batched.ts and statement.ts.',
      from: { path: '^(src|tools)/', pathNot: '^src/persistence/(batch/|[^/]+\\.ts$)' },
      to: { path: '^src/persistence/batch/' },
    },
    {
      name: 'tools-stay-outside',
      severity: 'error',
      comment: 'What only runs when the product is built serves no request, and no image has it.',
      from: { path: '^(src|migrations)/' },
      to: { path: '^tools/' },
    },
    {
      name: 'one-way-out',
      severity: 'error',
      comment:
        'What a module sends to the outside goes through the adapter of deliveries, which the attempts under way bound.',
      from: {
        path: '^src/(modules|persistence/(batch|encryption)|request/(idempotency|validation))/',
        pathNot: '^src/modules/webhooks/adapters/delivery/',
      },
      to: { path: '^(http|net|tls|dns)' },
    },
    {
      name: 'one-way-out',
      severity: 'error',
      comment:
        'Only OutgoingAttempts has the sender: deliveries and tests send through it, within one limit.',
      from: {
        path: '^src/',
        pathNot:
          '^src/modules/webhooks/(application/outgoing-attempts\\.ts|adapters/delivery/|webhooks\\.module\\.ts$)',
      },
      to: { path: '^src/modules/webhooks/(application/receivers\\.ts|adapters/delivery/)' },
    },
    {
      name: 'migrations-stand-alone',
      severity: 'error',
      comment: 'A migration that has run must not change, and the source does.',
      from: { path: '^migrations/' },
      to: { path: '^src/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Files in a circle can only be understood, loaded and moved together.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment:
        'A file that imports nothing and that nothing imports is left over; a browser loads start.js and page.js.',
      from: { orphan: true, pathNot: '/(reference/start|browser/page)\\.js$' },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types count: a domain that knows the type of a record knows the database.
    tsPreCompilationDeps: true,
  },
};
