const SLICE = '^src/(?!core/|http/|authentication/authenticate|stores/|platform-file/)[^/]+/';

const ROOTS =
  '^src/main\\.ts|^src/(composition|operations|cli)/|^projections/workers/worker(-thread)?\\.ts|^test/|^bench/';

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    rule('no-circular', 'Paths are straight, those of types too.', {}, { circular: true }),
    rule(
      'core-stands-alone',
      'The kernel knows no library, slice or store; node:crypto makes its event ids.',
      { path: '^src/core/' },
      { pathNot: ['^src/core/', '^(node:)?(crypto|timers/promises)$'] },
    ),
    rule(
      'routes-are-leaves',
      'Only a composition root mounts routes.',
      { pathNot: [ROOTS, '/routes\\.ts$'] },
      { path: '/routes\\.ts$' },
    ),
    rule(
      'stores-behind-ports',
      'Only a composition root picks a store.',
      { pathNot: [ROOTS, '^src/stores/'] },
      { path: '^src/stores/' },
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
      { path: '^src/', pathNot: ROOTS },
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
      { path: SLICE, pathNot: '(^|/)routes\\.ts$' },
      { path: 'node_modules/(koa|@koa|koa-bodyparser)/' },
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};
