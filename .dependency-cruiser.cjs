const ROOTS = '^src/main\\.ts|^src/(composition|cli)/|^projections/workers/worker\\.ts|^test/|^bench/';

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    rule('no-circular', 'Paths are straight, those of types too.', {}, { circular: true }),
    rule(
      'core-stands-alone',
      'The kernel knows no library and nothing outside itself; it draws ids and waits.',
      { path: '^src/core/' },
      { pathNot: ['^src/core/', '^(node:)?(crypto|timers/promises)$'] },
    ),
    rule(
      'http-knows-no-resource',
      'Routes are handed in.',
      { path: '^src/http/' },
      { path: '^(src|projections)/', pathNot: '^src/(http|core|logging)/' },
    ),
    rule(
      'routes-are-leaves',
      'Only a composition root mounts routes.',
      { pathNot: [ROOTS, '/routes\\.ts$'] },
      { path: '/routes\\.ts$' },
    ),
    rule(
      'no-loose-files',
      'Every file has a folder that says what it is for.',
      {},
      { path: '^src/[^/]+$', pathNot: '^src/main\\.ts$' },
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
