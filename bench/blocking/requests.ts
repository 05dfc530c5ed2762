/** What takes no credentials to send, and headers. */
import { BODY_BYTES, filled, query, range, type Kind } from './kind.js';

/** The header section as a whole may be this long. */
const HEADER_BYTES = 15_000;

const filter = (name: string, body: (fields: Readonly<Record<string, number>>) => unknown): Kind => ({
  name: `filter: ${name}`,
  request: ({ trackers, fields }) => ({
    method: 'GET',
    path: `/trackers/${trackers.texts}/artifacts`,
    body: body(fields),
  }),
});

const json = (name: string, body: string): Kind => ({
  name: `JSON: ${name}`,
  request: () => ({ method: 'POST', path: '/tokens', body }),
});

const header = (name: string, value: string): Kind => ({
  name: `header ${name}`,
  request: ({ selection }) => ({ method: 'GET', path: `/artifacts/${selection}`, headers: { [name]: value } }),
});

/** As many values as a body may hold. */
const VALUES = 20_000;
const held = range(VALUES - 10);
const wide = range(80_000).map((index) => [`m${index}`, 0] as const);

export const requestKinds: readonly Kind[] = [
  { name: 'nothing', request: () => ({ method: 'GET', path: '/projects?limit=1' }) },
  json('brackets', '['.repeat(BODY_BYTES - 1)),
  json('objects in objects', filled('{"a":', BODY_BYTES - 1)),
  json('zeros', `[${filled('0,', BODY_BYTES - 10)}0]`),
  json('empty objects', `[${filled('{},', BODY_BYTES - 10)}0]`),
  json('members', JSON.stringify(Object.fromEntries(wide))),
  json('members, as many as may be', JSON.stringify(Object.fromEntries(held.map((index) => [`m${index}`, 0])))),
  json('shapes', JSON.stringify(held.slice(VALUES / 2).map((index) => ({ [`m${index}`]: 0 })))),
  json('deep, as many as may be', `[${`${'{"a":'.repeat(60)}0${'}'.repeat(60)},`.repeat(VALUES / 62)}0]`),
  json('escapes', `{"username":"${filled('\\ud83d\\ude00', BODY_BYTES - 50)}","password":"a"}`),
  json('deep and wide', `[${filled(`${'['.repeat(60)}${']'.repeat(60)},`, BODY_BYTES - 10)}0]`),
  {
    name: 'JSON: brackets to a protected route',
    request: () => ({ method: 'POST', path: '/artifacts', body: '['.repeat(BODY_BYTES - 1) }),
  },
  {
    name: 'form: members',
    request: () => ({
      method: 'POST',
      path: '/tokens',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: filled('a=b&', BODY_BYTES - 10),
    }),
  },
  filter('words', ({ 'texts.title': title = 0 }) => ({
    [title]: range(150_000)
      .map((index) => index.toString(36))
      .join(' '),
  })),
  filter('one word', ({ 'texts.title': title = 0 }) => ({ [title]: 'İ'.repeat(BODY_BYTES / 2 - 20) })),
  filter('blanks', ({ 'texts.title': title = 0 }) => ({ [title]: `${' '.repeat(BODY_BYTES - 100)}a` })),
  filter('blanks inside', ({ 'texts.title': title = 0 }) => ({ [title]: `a${' '.repeat(BODY_BYTES - 100)}a` })),
  filter('expression', ({ 'texts.title': title = 0 }) => ({ [title]: `/${'\n/'.repeat(BODY_BYTES / 3 - 100)}a` })),
  filter('unknown fields', () => Object.fromEntries(wide)),
  filter('number', ({ submitted_on: on = 0 }) => ({ [on]: '9'.repeat(BODY_BYTES - 100) })),
  filter('words that match', ({ text0 = 0 }) => ({
    [text0]: range(50)
      .map((index) => '<'.repeat(100 + index))
      .join(' '),
  })),
  {
    name: 'filter: labels',
    request: ({ trackers, fields }) => ({
      method: 'GET',
      path: `/trackers/${trackers.opens}/artifacts`,
      body: { [fields['added'] ?? 0]: range(500).map((index) => `v${9000 + index}`) },
    }),
  },
  {
    name: 'query string',
    request: ({ trackers }) => ({
      method: 'GET',
      path: `/trackers/${trackers.texts}/artifacts?${filled('query=a&', HEADER_BYTES)}`,
    }),
  },
  {
    name: 'query of ids',
    request: () => ({ method: 'GET', path: `/artifacts?${query({ query: `{"id":[${filled('1,', 8000)}1]}` })}` }),
  },
  {
    name: 'nested query',
    request: ({ trackers }) => ({
      method: 'GET',
      path: `/trackers/${trackers.texts}/artifacts?${query({ query: '['.repeat(2000) + ']'.repeat(2000) })}`,
    }),
  },
  { name: 'path', request: () => ({ method: 'GET', path: filled('/%2f', HEADER_BYTES) }) },
  header('Accept', filled('text/a;q=0.1,', HEADER_BYTES)),
  header('If-None-Match', filled('"a-1",', HEADER_BYTES)),
  header('X-Forwarded-For', filled('::1,', HEADER_BYTES)),
  header('Authorization', `Basic ${filled('YWE6', HEADER_BYTES)}`),
  header('X-Auth-AccessKey', filled('tlp-k1-1.a', HEADER_BYTES)),
  header('Upload-Metadata', filled('a YWE,', HEADER_BYTES)),
];
