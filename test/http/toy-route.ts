import { route, type Nothing, type Route, type RouteDefinition } from '../../src/http/route.js';

type Described = 'tag' | 'responses';
type Definition<Viewer, Params, Query, Body> = Omit<RouteDefinition<Viewer, Params, Query, Body>, Described> &
  Partial<Pick<RouteDefinition<Viewer, Params, Query, Body>, Described>>;

/** A route whose description does not matter. */
export function toyRoute<Viewer, Params = Nothing, Query = Nothing, Body = Nothing>(
  definition: Definition<Viewer, Params, Query, Body>,
): Route<Viewer> {
  return route({
    tag: { name: 'Toys', description: 'Routes of specs.' },
    responses: { 200: { description: 'OK', schema: null } },
    ...definition,
  });
}
