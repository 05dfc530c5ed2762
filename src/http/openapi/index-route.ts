/** What a client finds at the prefix itself: where each collection is. */
import { route, type Route } from '../route.js';
import { described, listOf, named, objectOf, TEXT } from './response-schema.js';

const TAG = { name: 'Index', description: 'Where to begin.' };

const indexSchema = named(
  'Index',
  objectOf({
    name: TEXT,
    version: TEXT,
    resources: listOf(
      objectOf({
        type: described('The first segment of the address', TEXT),
        uri: described('Below the prefix', TEXT),
        description: TEXT,
      }),
    ),
  }),
);

const PAGES = [
  { type: 'description', uri: 'openapi.json', description: 'Get the description of the API.' },
  { type: 'explorer', uri: 'explorer', description: 'Try each route, in a browser.' },
];

/** Made from the routes: every GET without an id. */
export function indexRoutes(routes: readonly Route[], version: string): readonly Route<unknown>[] {
  const listed = routes.filter(({ method, path }) => method === 'GET' && !path.includes(':'));
  const resources = listed.map(({ path, summary }) => ({
    type: path.slice(1),
    uri: path.slice(1),
    description: summary,
  }));
  const body = { name: 'Tracker Ledger', version, resources: [...resources, ...PAGES] };
  return [
    route({
      method: 'GET',
      path: '',
      access: 'public',
      tag: TAG,
      summary: 'List the resources.',
      description: 'Addresses that need an id are in the answers of these.',
      responses: { 200: { description: 'The collections of the API', schema: indexSchema } },
      handle({ ctx }) {
        ctx.body = body;
      },
    }),
  ];
}
