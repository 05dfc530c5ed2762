import { expect } from 'chai';
import { changeArtifact } from '../../../src/artifacts/commands.js';
import { type TextRendering } from '../../../src/artifacts/rendering/text-rendering.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { artifactPorts } from '../../../src/composition/http-server.js';
import { Problem } from '../../../src/core/problem.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';

describe('Sources of texts in a change', () => {
  let api: ArtifactApi;
  let id: number;
  before(async () => {
    api = await artifactApi();
    id = await api.created();
  });
  after(() => api.stop());

  /** What is rendered for a change with these values; and whether it is taken. */
  const rendered = async (values: readonly unknown[]) => {
    const asked: string[] = [];
    const ports = artifactPorts(api.service);
    const htmlOf: TextRendering['htmlOf'] = (some, ...whom) => {
      asked.push(...some.map(({ text }) => text));
      return ports.texts.htmlOf(some, ...whom);
    };
    const caller = {
      viewer: viewer(api.service.definitions, api.service.definitions.userNamed('carol')!),
      requestId: 'sent',
    };
    const change = { artifactId: id, written: { values }, comment: undefined, precondition: () => true };
    const taken = await changeArtifact(change, { ...ports, texts: { ...ports.texts, htmlOf } }, caller).then(
      () => true,
      (error: unknown) => !(error instanceof Problem && error.kind === 'invalid'),
    );
    return { asked, taken };
  };
  const sent = (commonmark: string) => ({ value: '<p>x</p>', commonmark });

  it('are not rendered for unknown fields and for fields of other types', async () => {
    const values = [{ field_id: 1, ...sent('*unknown*') }, api.set('title', sent('*title*')), { ...sent('*none*') }];
    expect(await rendered(values)).to.deep.equal({ asked: [], taken: false });
  });

  it('are rendered for the last element of a text field', async () => {
    const values = [api.set('description', sent('*first*')), api.set('description', sent('*last*'))];
    expect(await rendered(values)).to.deep.equal({ asked: ['*last*'], taken: true });
  });
});
