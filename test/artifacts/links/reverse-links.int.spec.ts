import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FieldValues } from '../../../src/trackers/field-types/field-value.js';
import { artifactViews } from '../../../src/artifacts/artifact-view.js';
import { relatedTo, sourcesOf } from '../../../src/artifacts/representation/load-related.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { readXml, validate } from '../archive/archive-schema.js';
import { runService, type RunningService } from '../../support/service.js';
import { turns } from '../../support/turns.js';

const SHOWN = 1000;
const ARCHIVED = 5000;
/** Each artifact links as often as it has fields. */
const FIELDS = 20;

interface Linked {
  readonly id: number;
}

describe('an artifact that very many link to', () => {
  let api: RunningService;
  let target: number;
  let sources: readonly number[];
  const field = (n: number): number => api.field('item', `links${n}`);

  before(async () => {
    const links = Array.from({ length: FIELDS }, (_, n) => ({
      name: `links${n}`,
      label: `Links ${n}`,
      type: 'art_link',
    }));
    const title = { name: 'title', label: 'Title', type: 'string' };
    const alice = { username: 'alice', real_name: 'Alice', email: 'a@example.org', password: "alice's password" };
    const platform = {
      settings: { artifact_deletion_limit: 10, archive_deleted_artifacts: true },
      users: [{ ...alice, site_admin: true }],
      projects: [
        { shortname: 'p', label: 'P', trackers: [{ item_name: 'item', label: 'Items', fields: [title, ...links] }] },
      ],
    };
    api = await runService({ platform: JSON.stringify(platform) });
    const tracker = api.tracker('item');
    [target = 0] = await plantedArtifacts(api, tracker, [{ [api.field('item', 'title')]: 'target' }]);
    const linking = (index: number): FieldValues => ({
      [field(0)]: [{ id: target, type: index < SHOWN ? '' : '_is_child' }],
    });
    sources = await plantedArtifacts(
      api,
      tracker,
      Array.from({ length: SHOWN + 3 }, (_, index) => linking(index)),
    );
  });

  after(() => api.stop());

  const reverseLinks = async (): Promise<readonly Linked[]> => {
    const { body } = await api.get(`/artifacts/${target}`, { as: 'alice' });
    return body.values.find((value: { field_id: number }) => value.field_id === field(0)).reverse_links;
  };
  const page = (nature: string, offset: number) =>
    api.get(`/artifacts/${target}/linked_artifacts?direction=reverse&nature=${nature}&limit=50&offset=${offset}`, {
      as: 'alice',
    });
  const idsOf = (items: readonly Linked[]): readonly number[] => items.map(({ id }) => id);

  it('shows 1000 of the links with it, those of the lowest ids', async () => {
    expect(idsOf(await reverseLinks())).to.deep.equal(sources.slice(0, SHOWN));
  });

  it('shows every link in pages, and every type of link', async () => {
    const all = await page('', SHOWN - 2);
    expect(idsOf(all.body.collection)).to.deep.equal(sources.slice(SHOWN - 2, SHOWN));
    expect(all.headers.get('X-PAGINATION-SIZE')).to.equal(String(SHOWN));
    const children = await page('_is_child', 1);
    expect(idsOf(children.body.collection)).to.deep.equal(sources.slice(SHOWN + 1));
    expect(children.headers.get('X-PAGINATION-SIZE')).to.equal('3');
    const { body } = await api.get(`/artifacts/${target}/links`, { as: 'alice' });
    expect(body.natures.map((nature: { shortname: string }) => nature.shortname)).to.deep.equal(['', '_is_child']);
  });

  it('is told with the sources of many others, of which few are asked for at a time', async () => {
    const { definitions, readModels } = api.service;
    const many = await plantedArtifacts(
      api,
      api.tracker('item'),
      Array.from({ length: 60 }, () => ({})),
    );
    const both = [...many.slice(0, 30)].reverse().map((id, index) => [id, many[30 + index] ?? 0]);
    const linking = both.map((ends) => ({ [field(0)]: ends.map((id) => ({ id, type: '' })) }));
    const linked = await plantedArtifacts(api, api.tracker('item'), [...linking, ...linking]);
    const asked: number[] = [];
    const counting: ReadModels = {
      ...readModels,
      findIds: (model, query) => {
        for (const criterion of query.where) {
          if (criterion.type === 'any-of') asked.push(criterion.values.length);
        }
        return readModels.findIds(model, query);
      },
    };
    const reading = {
      readModels: counting,
      definitions,
      viewer: viewer(definitions, definitions.userNamed('alice') ?? null),
    };
    const found = await sourcesOf([target, ...many], reading);
    const sourcesIn = (id: number | undefined) => found.get(id ?? 0)?.map(({ source }) => source.id);
    expect(sourcesIn(target)).to.deep.equal(sources.slice(0, SHOWN));
    for (const [index, ends] of both.entries()) {
      for (const end of ends) expect(sourcesIn(end)).to.deep.equal([linked[index], linked[index + 30]]);
    }
    // Of the first ones there are many.
    expect(asked.slice(0, 13)).to.deep.equal([...Array.from({ length: 12 }, () => 5), 1]);
    asked.length = 0;
    await sourcesOf(many, reading);
    expect(asked).to.deep.equal([5, 25, 25, 5]);
  });

  it('leaves others their turn between the targets of an artifact and its sources, and after these', async () => {
    const { definitions, readModels } = api.service;
    const source = await readModels.get(artifactViews, sources[0] ?? 0);
    const loop = turns();
    const asked: (readonly [string, number])[] = [];
    const noting: ReadModels = {
      ...readModels,
      getSlice: (...given) => {
        asked.push(['targets', loop.count()]);
        return readModels.getSlice(...given);
      },
      findIds: (...given) => {
        asked.push(['sources', loop.count()]);
        return readModels.findIds(...given);
      },
    };
    const asking = viewer(definitions, definitions.userNamed('alice') ?? null);
    await relatedTo([source!], { readModels: noting, definitions, viewer: asking });
    asked.push(['done', loop.count()]);
    loop.stop();
    expect(asked.map(([what]) => what)).to.deep.equal(['targets', 'sources', 'done']);
    expect(new Set(asked.map(([, turn]) => turn)).size).to.equal(3);
  });

  it('loses no link that was not shown when those shown are sent back', async () => {
    const allLinks = (await reverseLinks()).map(({ id }) => ({ id, type: '', direction: 'reverse' }));
    const values = [{ field_id: field(0), all_links: allLinks }];
    const { status, headers } = await api.put(`/artifacts/${target}`, { as: 'alice', body: { values } });
    expect(status).to.equal(200);
    expect(headers.get('etag')).to.equal('"0"');
    expect((await page('_is_child', 0)).headers.get('X-PAGINATION-SIZE')).to.equal('3');
  });

  it('loses no link of a source that has room for one of two, when those shown are sent back', async () => {
    const [linked = 0] = await plantedArtifacts(api, api.tracker('item'), [{}]);
    const one: FieldValues = { [field(0)]: [{ id: linked, type: '' }] };
    const two: FieldValues = { ...one, [field(1)]: [{ id: linked, type: '_is_child' }] };
    const each = Array.from({ length: SHOWN + 1 }, (_, index) => (index === SHOWN - 1 ? two : one));
    const ids = await plantedArtifacts(api, api.tracker('item'), each);
    const { body } = await api.get(`/artifacts/${linked}`, { as: 'alice' });
    const links = body.values.find((value: { field_id: number }) => value.field_id === field(0)).reverse_links;
    expect(idsOf(links)).to.deep.equal(ids.slice(0, SHOWN - 1));
    const allLinks = idsOf(links).map((id) => ({ id, type: '', direction: 'reverse' }));
    const values = [{ field_id: field(0), all_links: allLinks }];
    const { status, headers } = await api.put(`/artifacts/${linked}`, { as: 'alice', body: { values } });
    expect([status, headers.get('etag')]).to.deep.equal([200, '"0"']);
  });

  it('is not written again for a parent that links to it already, shown or not', async () => {
    for (const parent of sources.slice(-3)) {
      const values = [{ field_id: field(0), parent: { id: parent } }];
      const { status, headers } = await api.put(`/artifacts/${target}`, { as: 'alice', body: { values } });
      expect([status, headers.get('etag')]).to.deep.equal([200, '"0"']);
    }
  });

  it('is deleted, and its archive names 5000 links and says how many artifacts there were', async () => {
    const [popular = 0] = await plantedArtifacts(api, api.tracker('item'), [{}]);
    const everywhere = Object.fromEntries(
      Array.from({ length: FIELDS }, (_, n) => [String(field(n)), [{ id: popular, type: 'longer_than_most' }]]),
    );
    const count = ARCHIVED / FIELDS + 1;
    await plantedArtifacts(
      api,
      api.tracker('item'),
      Array.from({ length: count }, () => everywhere),
    );
    expect((await api.request('DELETE', `/artifacts/${popular}`, { as: 'alice' })).status).to.equal(200);

    const folder = join(api.directory, 'archive');
    const [file = ''] = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.xml'));
    const xml = await readFile(join(folder, file), 'utf8');
    validate(xml);
    const links = readXml(xml).children.find(({ name }) => name === 'links');
    expect(links?.children).to.have.length(ARCHIVED);
    expect(links?.attributes['reverse_total']).to.equal(String(count));
  });
});
