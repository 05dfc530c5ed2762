/** Links of OpenAPI: which requests take a value of an answer. */
import { type ResponseLink } from '../route.js';

export type Links = Readonly<Record<string, ResponseLink>>;

/** The `id` of the answer is the id of these requests. */
export const byItsId = (...operationIds: readonly string[]): Links =>
  linked(operationIds, { id: '$response.body#/id' });

/** The same for the first item of a page. */
export const byFirstId = (...operationIds: readonly string[]): Links =>
  linked(operationIds, { id: '$response.body#/0/id' });

/** The id of the address is the id of these requests. */
export const byPathId = (...operationIds: readonly string[]): Links => linked(operationIds, { id: '$request.path.id' });

export function linked(operationIds: readonly string[], parameters: Readonly<Record<string, string>>): Links {
  const names = Object.keys(parameters).join(', ');
  const description = `Takes ${names} from this answer.`;
  return Object.fromEntries(operationIds.map((operationId) => [operationId, { operationId, description, parameters }]));
}
