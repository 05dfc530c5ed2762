import { expect } from 'chai';
import { LINK_SOURCES_PAGE } from '../../../src/artifacts/representation/link-sources.js';
import { sourcesOf } from '../../../src/artifacts/representation/load-related.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type FieldValues } from '../../../src/trackers/field-types/field-value.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

/** The first few are asked about together, and the last one after them. */
const TARGETS = 6;

describe('the sources of links to many artifacts', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi({ platform: plainPlatform([]) });
  });
  after(() => api.stop());

  it('are all found where those of artifacts that are asked about later lie behind a full page', async () => {
    const { readModels, definitions } = api.service;
    const plant = (all: readonly FieldValues[]) => plantedArtifacts(api, api.tracker('bug'), all);
    const targets = await plant(Array.from({ length: TARGETS }, () => ({})));
    const [first, second, last] = [targets[0]!, targets[1]!, targets.at(-1)!];
    const to = (id: number) => ({ [api.field('bug', 'links')]: [{ id, type: '' }] });
    const half = LINK_SOURCES_PAGE / 2;
    const page = Array.from({ length: LINK_SOURCES_PAGE }, (_, n) => to(n < half ? first : second));
    await plant([...page, to(second), to(last)]);
    const found = await sourcesOf(targets, { readModels, definitions, viewer: viewer(definitions, null) });
    expect([first, second, last].map((id) => found.get(id)?.length)).to.deep.equal([half, half + 1, 1]);
  });
});
