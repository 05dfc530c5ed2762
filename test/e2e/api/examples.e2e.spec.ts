import { expect } from 'chai';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { API_EXAMPLES } from '../../../src/composition/generated/api-examples.js';
import { apiExamples } from '../../support/examples/examples.js';
import { runService, type RunningService } from '../../support/service.js';
import { type Description, type Operation } from './operations.js';
import { bodyOf } from './shapes.js';

/** The description would be its own example. */
const WITHOUT = ['getOpenapiJson'];

/** The demo platform would have to wait a minute for this. */
const UNANSWERED = ['RequestTimeout'];

interface Response {
  readonly content?: { readonly 'application/json'?: { readonly schema: object; readonly example?: unknown } };
}

describe('the examples of the API description', () => {
  let api: RunningService;
  let description: Description;
  let responses: readonly { readonly name: string; readonly status: string; readonly response: Response }[];

  before(async () => {
    api = await runService();
    description = bodyOf(await api.get('/openapi.json'));
    const operations = Object.values(description.paths).flatMap((item) =>
      Object.entries(item).flatMap(([method, operation]) => (method === 'servers' ? [] : [operation as Operation])),
    );
    responses = [
      ...operations.flatMap(({ operationId: name, responses: own }) =>
        Object.entries(own).map(([status, response]) => ({ name, status, response })),
      ),
      ...Object.entries(description.components.responses).map(([name, response]) => ({
        name,
        status: 'shared',
        response,
      })),
    ];
  });
  after(() => api.stop());

  // The demo platform runs on the embedded stores: positions of another log are others.
  if ((process.env['TEST_STORES'] ?? '') === '') {
    it('are what the demo platform answers today: npm run examples writes them', async function () {
      this.timeout(120_000);
      expect(await apiExamples()).to.deep.equal(JSON.parse(JSON.stringify(API_EXAMPLES)));
    });
  }

  it('show every success that has a body, and every error that all operations share', () => {
    const wanted = responses.filter(
      ({ name, status, response: { content } }) =>
        content?.['application/json'] !== undefined &&
        (status.startsWith('2') || status === 'shared') &&
        ![...WITHOUT, ...UNANSWERED].includes(name),
    );
    expect(wanted.length).to.be.above(40);
    for (const { name, status, response } of wanted) {
      expect(response.content?.['application/json']?.example, `${name} ${status}`).not.to.equal(undefined);
    }
  });

  it('fit their schemas', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(description, 'api');
    let checked = 0;
    for (const { name, status, response } of responses) {
      const media = response.content?.['application/json'];
      if (media?.example === undefined) continue;
      const schema: unknown = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/', '"api#/'));
      const check = ajv.compile(schema as object);
      expect(check(media.example), `${name} ${status} ${JSON.stringify(check.errors)}`).to.equal(true);
      checked += 1;
    }
    const given = Object.values(API_EXAMPLES).flatMap((each) => Object.keys(each));
    expect(checked, 'an example of no answer is described').to.equal(given.length);
  });
});
