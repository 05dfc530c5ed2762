/** The operations of an API description, as far as requests to them need it. */
import { type ExampleRequest } from './requests.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
}

export interface DescribedOperation {
  readonly method: string;
  /** Before its path. */
  readonly prefix: string;
  /** By name, what a request has of the parameters. */
  parametersOf(request: ExampleRequest): Readonly<Record<string, string>>;
}

type PathItem = Readonly<Record<string, { readonly operationId: string; readonly parameters: readonly Parameter[] }>>;

export const REQUEST_ID = 'example-1';

/** Looks operations up by their id. */
export async function described(url: string): Promise<(id: string) => DescribedOperation> {
  const response = await fetch(`${url}/api/openapi.json`);
  const { paths } = (await response.json()) as { readonly paths: Readonly<Record<string, PathItem>> };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'servers')
      .map(([method, { operationId, parameters }]): [string, DescribedOperation] => [
        operationId,
        {
          method: method.toUpperCase(),
          prefix: 'servers' in item ? '' : '/api',
          parametersOf: (request) => given(path, parameters, request),
        },
      ]),
  );
  const known = new Map(operations);
  return (id) => {
    const found = known.get(id);
    if (found === undefined) throw new Error(`There is no operation ${id}`);
    return found;
  };
}

function given(template: string, parameters: readonly Parameter[], { path, headers = {} }: ExampleRequest) {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const pattern = new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  const places: Readonly<Record<string, (name: string) => string | null | undefined>> = {
    path: (name) => pattern.exec(pathname)?.groups?.[name],
    query: (name) => searchParams.get(name),
    header: (name) => (name === 'X-Request-Id' ? REQUEST_ID : headers[name]),
  };
  const values = parameters.map(({ name, in: place }) => [name, places[place]?.(name)] as const);
  return Object.fromEntries(values.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
