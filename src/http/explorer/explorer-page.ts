/** What the explorer has beside Swagger UI. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tracker Ledger: API explorer</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/explorer/swagger-ui.css">
<link rel="stylesheet" href="/api/explorer/explorer.css">
</head>
<body>
<div id="explorer"></div>
<noscript>The explorer needs JavaScript. The description of the API is at <a href="/api/openapi.json">openapi.json</a>.</noscript>
<script src="/api/explorer/swagger-ui-bundle.js"></script>
<script src="/api/explorer/explorer.js"></script>
</body>
</html>
`;

/** Both servers of the description are one set of routes: there is nothing to choose. Browsers send no body with GET. */
export const SCRIPT = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
// What Swagger UI leaves without a name, or names otherwise than it shows.
const name = () => {
  for (const button of document.querySelectorAll('.close-modal')) button.setAttribute('aria-label', 'Close');
  for (const button of document.querySelectorAll('.modal-btn[aria-label]')) button.removeAttribute('aria-label');
  for (const text of document.querySelectorAll('.body-param__text')) text.setAttribute('aria-label', 'Body');
  for (const code of document.querySelectorAll('pre.microlight')) code.tabIndex = 0;
};
new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
const filterInQuery = (request) => {
  if (request.method !== 'GET' || !request.body) return request;
  const { body, ...rest } = request;
  const url = new URL(request.url, location.href);
  url.searchParams.set('query', body);
  return { ...rest, url: url.href };
};
SwaggerUIBundle({
  requestInterceptor: filterInQuery,
  url: '/api/openapi.json',
  dom_id: '#explorer',
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  syntaxHighlight: false,
  plugins: [() => ({ wrapComponents: { ServersContainer: () => () => null } })],
});
`;

/** Colours with a contrast of at least 4.5 to 1, and no page that is wider than its screen. */
export const STYLE = `
body { margin: 0; }
.swagger-ui .btn { transition: none; }
.swagger-ui .opblock-body { overflow-x: auto; }
html:not(.dark-mode) .swagger-ui .info a { color: #1d5f9e; }
html:not(.dark-mode) .swagger-ui .info .title small { background: #4b5563; }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #3f6212; }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: #14693f; border-color: #14693f; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #14693f; }
html:not(.dark-mode) .swagger-ui .opblock-post .opblock-summary-method { background: #14693f; }
html:not(.dark-mode) .swagger-ui .opblock-get .opblock-summary-method { background: #1d5f9e; }
html:not(.dark-mode) .swagger-ui .opblock-put .opblock-summary-method { background: #8a4f00; }
html:not(.dark-mode) .swagger-ui .opblock-delete .opblock-summary-method { background: #b3261e; }
html:not(.dark-mode) .swagger-ui .btn.cancel { color: #b3261e; border-color: #b3261e; }
html:not(.dark-mode) .swagger-ui .btn.execute { background: #1d5f9e; border-color: #1d5f9e; }
html:not(.dark-mode) .swagger-ui .parameter__in { color: #555b66; }
html:not(.dark-mode) .swagger-ui .download-contents { background: #4b5563; }
html.dark-mode .swagger-ui .opblock .opblock-section-header .btn.try-out__btn.cancel { color: #ff9c9c; }
html.dark-mode .swagger-ui table.headers td { color: #e4e6e6; }
`;
