import { expect } from 'chai';
import { parse } from 'yaml';
import { platformSchema } from '../../src/platform-file/format/platform-schema.js';
import { platformFixture, type PlatformFixture } from '../platform-file/platform-fixture.js';
import { fencedBlocks } from '../support/shell-blocks.js';

const [example = ''] = fencedBlocks('yaml')
  .filter(({ label }) => label === 'members')
  .map(({ text }) => text);

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** By path, as in `projects.trackers.label`. What a reference describes has a page of its own. */
function membersOf({ properties = {}, items }: Schema, path: readonly string[] = []): readonly string[] {
  if (items !== undefined) return membersOf(items, path);
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inside = [...path, name];
    return [inside.join('.'), ...membersOf(schema, inside)];
  });
}

function namedIn(value: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => namedIn(item, path));
  return Object.entries(value).flatMap(([name, member]) => {
    const inside = [...path, name];
    return [inside.join('.'), ...namedIn(member, inside)];
  });
}

describe('the example of docs/platform-file.md with every member', () => {
  let platform: PlatformFixture;
  before(async () => (platform = await platformFixture()));
  after(() => platform.close());

  it('names every member of the schema outside of fields', () => {
    const members = membersOf(platformSchema as Schema);
    expect(members).to.include('projects.trackers.workflow.transitions');
    expect(namedIn(parse(example))).to.include.members(members);
  });

  it('is applied as a whole, and changes nothing when it is applied again', async () => {
    const env = { ANN_PASSWORD: 'correct horse battery staple' };
    expect(await platform.apply(example, { env })).to.include.members(['register user ann', 'register user bob']);
    expect(platform.service.definitions.platform()).to.include({
      anonymousAccess: false,
      artifactDeletionLimit: 20,
      archiveDeletedArtifacts: true,
    });
    expect(await platform.plan(example, { env })).to.deep.equal([]);
  });
});
