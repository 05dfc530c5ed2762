const { readdirSync } = require('node:fs');

const ROOTS = '^src/main\\.ts|^src/(composition|cli)/|^projections/workers/worker\\.ts|^test/|^bench/';

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** From the bottom up: each knows only those before it. */
const ORDER = [
  'src/core/',
  'src/logging/',
  'src/http/',
  'src/config/',
  'src/stores/',
  'src/platform/',
  'src/users/',
  'src/projects/',
  'src/trackers/',
  'src/definitions/',
  'src/authorization/',
  'src/user-groups/',
  'src/files/',
  'src/artifacts/',
  'src/svn/',
  'src/authentication/',
  'src/names/',
  'src/platform-file/',
  'src/migration/',
  'projections/',
  'src/composition/',
  'src/operations/',
  'src/demo/',
  'src/main.ts',
  'src/cli/',
];

/** A spec says how long it takes: see ARCHITECTURE.md. */
const KINDS = '\\.(unit|int|e2e)\\.spec\\.ts$';

const TOUCHED = [
  '^test/support/(service|stores|process|client|tcp-proxy|temporary-directory)\\.ts$',
  '^(node:)?child_process$',
  'node_modules/(mongodb|@eventstore/db-client|@grpc/grpc-js|@photostructure/sqlite)/',
];

const anyOf = (folders) => `^(${folders.join('|')})`;

const downwards = ORDER.slice(0, -1).map((folder, at) =>
  rule(
    `downwards-from-${folder.replace(/^src\/|\/$/g, '')}`,
    'Folders know only those that stand before them in the order.',
    { path: anyOf([folder]) },
    { path: anyOf(ORDER.slice(at + 1)) },
  ),
);

/** What has events has its rules in a file of the same name. */
const RULES = readdirSync('src', { recursive: true }).flatMap((path) => /([^/]+)-events\.ts$/.exec(path)?.[1] ?? []);

const ROUTES = '(?:routes|[^/]+-routes?)';

/** The files of a resource: each knows only those before it. */
const FILES = [
  ['events', '[^/]+-events'],
  ['rules', `(?:${RULES.join('|')})`],
  ['view', '[^/]+-view'],
  ['schemas', 'schemas'],
  ['ports', 'ports'],
  ['commands', 'commands'],
  ['queries', 'queries'],
  ['routes', ROUTES],
];

const inResource = (files) => `^src/$1(?:/|/.+/)(?:${files.join('|')})\\.ts$`;

const fileByFile = FILES.slice(0, -1).map(([name, file], at) =>
  rule(
    `in-order-${name}`,
    'The files of a resource know only those that stand before them in the order.',
    { path: `^src/([^/]+)(?:/|/.+/)${file}\\.ts$` },
    { path: inResource(FILES.slice(at + 1).map(([, later]) => later)) },
  ),
);

module.exports = {
  forbidden: [
    rule('no-circular', 'Paths are straight, those of types too.', {}, { circular: true }),
    {
      ...rule(
        'no-circular-folders',
        'No folders know each other in a circle; a folder and those within it are one.',
        { path: '^(src|projections)' },
        { circular: true },
      ),
      scope: 'folder',
    },
    ...downwards,
    ...fileByFile,
    rule(
      'every-folder-in-order',
      'Every folder has its place in the order.',
      {},
      { path: '^(src/[^/]+|projections)/', pathNot: anyOf(ORDER) },
    ),
    rule(
      'core-stands-alone',
      'The kernel knows no library and nothing outside itself; it draws ids, waits, and looks how much memory there is.',
      { path: '^src/core/' },
      { pathNot: ['^src/core/', '^(node:)?(crypto|os|timers/promises)$'] },
    ),
    rule(
      'concurrency-stands-alone',
      'What only waits, retries and queues knows no events and no problems.',
      { path: '^src/core/concurrency/' },
      { path: '^src/', pathNot: '^src/core/concurrency/' },
    ),
    rule(
      'schemas-stand-alone',
      'What routes take and answer is described without the rest of the resource.',
      { path: '^src/([^/]+)(?:/|/.+/)schemas\\.ts$' },
      { path: '^src/$1/', pathNot: '/schemas\\.ts$' },
    ),
    rule(
      'routes-are-leaves',
      'Only a composition root mounts routes.',
      { pathNot: [ROOTS, `/${ROUTES}\\.ts$`] },
      { path: `^src/(?!http/).+/${ROUTES}\\.ts$` },
    ),
    rule(
      'routes-delegate',
      'A route hands on to commands and queries; it knows no more than types of what they work with.',
      { path: `^src/(?!http/).+/${ROUTES}\\.ts$` },
      {
        path: [
          '^src/core/(handle|event-log|read-models|decider|ids|folded-streams|stream-slices|name-reservation)\\.ts$',
          '-(events|view)\\.ts$',
        ],
        dependencyTypesNot: ['type-only'],
      },
    ),
    rule(
      'commands-handle',
      'Commands are carried out in commands.ts, and in processes that go by another name.',
      {
        path: '^src/(?!core/)',
        pathNot: [
          '/commands\\.ts$',
          '^src/artifacts/(open-values|attachments/claims)\\.ts$',
          '^src/(names|platform-file/apply|demo)/',
        ],
      },
      { path: '^src/core/handle\\.ts$', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'technologies-apart',
      'An adapter knows its ports and what all adapters share.',
      { path: '^src/stores/([^/]+)/' },
      { path: '^(src|projections)/', pathNot: ['^src/core/', '^src/stores/(shared|$1)/'] },
    ),
    rule(
      'stores-behind-ports',
      'Only a composition root picks a store.',
      { pathNot: [ROOTS, '^src/stores/'] },
      { path: '^src/stores/', pathNot: '^src/stores/shared/thread\\.ts' },
    ),
    rule(
      'drivers-in-stores',
      'A driver stays in its adapter.',
      { pathNot: '^(src/stores/|test/|bench/)' },
      { path: 'node_modules/(mongodb|@eventstore|@photostructure)/' },
    ),
    rule(
      'src-knows-no-projection',
      'GET routes go through ReadModels.',
      { path: '^src/', pathNot: [ROOTS, '^src/operations/'] },
      { path: '^projections/' },
    ),
    rule(
      'projections-know-no-http',
      'A worker answers no request.',
      { path: '^projections/' },
      { path: ['^src/http/', '/routes\\.ts$', 'node_modules/(koa|@koa)/'] },
    ),
    rule(
      'specs-say-their-kind',
      'A spec of deployment files is named so, any other one unit, int or e2e: `npm test` runs no other names.',
      {
        path: '^test/.*\\.spec\\.ts$',
        pathNot: ['^test/deploy/[^/]+\\.deploy\\.spec\\.ts$', `^test/(?!deploy/).*${KINDS}`],
      },
      {},
    ),
    rule(
      'units-touch-nothing',
      'A unit spec reaches no service, no store on disk, no server and no process.',
      { path: '\\.unit\\.spec\\.ts$' },
      { path: TOUCHED, reachable: true },
    ),
    rule(
      'rules-are-pure',
      'Deciders and views use the kernel and other slices, no web framework.',
      {
        path: '^src/',
        pathNot: ['^src/(http|composition)/', '^src/authentication/authenticate\\.ts', '(^|/)routes\\.ts$'],
      },
      { path: 'node_modules/(koa|@koa|koa-bodyparser)/' },
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};
