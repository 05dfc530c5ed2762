import { type Route, type RouteDescription } from '../route.js';

/** What the API description is made from: a route under /api, or a method of one outside. */
export interface DescribedRoute extends RouteDescription, Pick<Route, 'path' | 'access' | 'form' | 'answerHeaders'> {
  readonly method: string;
  /** Of the body of a request, where it is not JSON. */
  readonly bodyType?: string;
  /** Which of the errors that routes share this one has; without, what its access and its parts say. */
  readonly sharedErrors?: readonly number[];
}
