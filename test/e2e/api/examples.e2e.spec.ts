import { expect } from 'chai';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { API_EXAMPLES } from '../../../src/composition/generated/api-examples.js';
import { apiExamples } from '../../support/examples/examples.js';
import { runService, type RunningService } from '../../support/service.js';
import { type Description, type Operation } from './operations.js';
import { bodyOf } from './shapes.js';

/** Something that can have an example. */
interface Place {
  readonly name: string;
  readonly schema: object;
  readonly example?: unknown;
}

interface Response {
  readonly headers?: Readonly<Record<string, Omit<Place, 'name'>>>;
  readonly content?: Readonly<Record<string, Omit<Place, 'name'>>>;
}

describe('the examples of the API description', () => {
  let api: RunningService;
  let description: Description;
  let places: readonly Place[];

  before(async () => {
    api = await runService();
    description = bodyOf(await api.get('/openapi.json'));
    const operations = Object.values(description.paths).flatMap((item) =>
      Object.entries(item).flatMap(([method, operation]) => (method === 'servers' ? [] : [operation as Operation])),
    );
    places = [
      ...operations.flatMap(placesOf),
      ...Object.entries(description.components.responses).flatMap(([name, response]) => placesIn(response, `${name} `)),
    ];
  });
  after(() => api.stop());

  const placesOf = ({ operationId: id, parameters = [], requestBody, responses }: Operation): readonly Place[] => [
    ...parameters.map(({ name, schema, example }) => ({
      name: `${id} ${name}`,
      schema,
      example: example ?? (schema as { readonly examples?: readonly unknown[] }).examples?.[0],
    })),
    ...placesIn((requestBody ?? {}) as Response, `${id} body`),
    ...Object.entries(responses).flatMap(([status, response]) =>
      response.$ref === undefined ? placesIn(response as Response, `${id} ${status}`) : [],
    ),
  ];

  const placesIn = ({ headers = {}, content = {} }: Response, name: string): readonly Place[] => [
    ...Object.entries(headers).map(([header, place]) => ({ ...place, name: `${name} ${header}` })),
    ...Object.values(content).map((place) => ({ ...place, name })),
  ];

  // The demo platform runs on the embedded stores: positions of another log are others.
  if ((process.env['TEST_STORES'] ?? '') === '') {
    it('are what the demo platform answers today: npm run examples writes them', async () => {
      expect(await apiExamples()).to.deep.equal(JSON.parse(JSON.stringify(API_EXAMPLES)));
    });
  }

  it('show every parameter, body and header', () => {
    const lacking = places.filter(({ example }) => example === undefined).map(({ name }) => name);
    expect(places.length).to.be.above(600);
    expect(lacking).to.deep.equal([]);
  });

  it('fit their schemas', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(description, 'api');
    for (const { name, schema, example } of places.filter((place) => place.example !== undefined)) {
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object;
      const check = ajv.compile(absolute);
      expect(check(example), `${name} ${JSON.stringify(example)} ${JSON.stringify(check.errors)}`).to.equal(true);
    }
  });
});
