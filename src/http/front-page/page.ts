/** The page at `/`, without scripts. */
import { escapeHtml } from '../../core/text/escape-html.js';

export interface ReadModelProgress {
  readonly projection: string;
  /** `live`: it follows the log. */
  readonly state: string;
  /** The part of the log, from 0 to 1, that readers see; null where it cannot be told now. */
  readonly reflected: number | null;
}

interface Page {
  readonly version: string;
  readonly stores: readonly string[];
  readonly readModels: readonly ReadModelProgress[];
  readonly demo: { readonly username: string; readonly password: string } | null;
  /** Scheme and host, as the client names them. */
  readonly origin: string;
}

export const STYLE = `
:root { color-scheme: light dark; --accent: #1d5f9e; --paper: #fff; --ink: #1c2127; --line: #d5dbe1; --code: #f2f5f8; }
@media (prefers-color-scheme: dark) { :root { --accent: #7cc0ee; --paper: #14181c; --ink: #e4e8ec; --line: #3a434d; --code: #1e252c; } }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink); }
h1 { margin: 0; font-size: 2rem; } h2 { margin: 2.5rem 0 .5rem; font-size: 1.15rem; }
p { margin: .5rem 0; } a { color: var(--accent); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; margin: 0; }
dt { font-weight: 600; } dd { margin: 0; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .5rem; padding: .9rem 1rem; overflow-x: auto; }
code { font: .9rem/1.5 ui-monospace, monospace; }
ul { padding-left: 1.2rem; margin: .5rem 0; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .5rem; } }
`;

/** Of what is wider than the page: the keyboard scrolls only what has the focus, and that has a name. */
export const scrolled = (label: string): string => `tabindex="0" role="group" aria-label="${label}"`;

export function pageOf({ version, stores, readModels, demo, origin }: Page): string {
  const { username, password } = demo ?? { username: 'NAME', password: 'PASSWORD' };
  const credentials = JSON.stringify({ username, password });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tracker Ledger</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Tracker Ledger</h1>
<p>This service serves the REST API of the trackers of <a href="https://www.tuleap.org">Tuleap</a>: projects, trackers, artifacts,
files and svn repositories. It keeps every change in an event log.</p>

<h2>What runs here</h2>
<dl>
<dt>Version</dt><dd>${escapeHtml(version)}</dd>
<dt>Stores</dt><dd>${escapeHtml(stores.join(', '))}</dd>
<dt>Read models</dt><dd>${escapeHtml(progressOf(readModels))}</dd>
</dl>

<h2>A first request</h2>
<pre ${scrolled('Command')}><code>curl -s ${escapeHtml(origin)}/api/projects</code></pre>
<p>${demo === null ? 'Sign in with your name and password.' : 'This is the demo platform: sign in as alice, bob, carol or dave.'}
The answer holds <code>user_id</code> and <code>token</code> for the headers <code>X-Auth-UserId</code> and <code>X-Auth-Token</code>:</p>
<pre ${scrolled('Command')}><code>curl -s ${escapeHtml(origin)}/api/tokens \\
  -H 'Content-Type: application/json' \\
  -d '${escapeHtml(credentials)}'</code></pre>

<h2>Where to go on</h2>
<ul>
<li><a href="/api/projects">Projects</a>, the start of every walk through the API</li>
<li><a href="/api/explorer">Explorer</a>, where you try each route</li>
<li><a href="/api/openapi.json">Description of the API</a>, as OpenAPI 3.1</li>
<li><a href="/health/ready">Readiness</a> of this process</li>
<li><a href="/documentation/docs/README.md">Documentation</a> of this version</li>
</ul>
</main>
</body>
</html>
`;
}

function progressOf(readModels: readonly ReadModelProgress[]): string {
  const behind = readModels.filter(({ state, reflected }) => state !== 'live' || reflected !== 1);
  if (behind.length === 0) return 'reflect the whole log';
  return behind.map((each) => `${each.projection}: ${inWords(each)}`).join(', ');
}

function inWords({ state, reflected }: ReadModelProgress): string {
  if (reflected === null) return state;
  return `${state}, reflects ${Math.floor(1000 * reflected) / 10} % of the log`;
}
