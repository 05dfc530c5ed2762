import { expect } from 'chai';
import { artifactFilter } from '../../../src/artifacts/filter/filter.js';
import { Problem } from '../../../src/core/problem.js';
import { type Criterion } from '../../../src/core/read-models.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { PROJECT_ADMINS, PROJECT_MEMBERS } from '../../../src/projects/project-events.js';
import { definitionsOf, fieldOf, groupOf, projectOf, trackerOf, userOf } from '../../support/definitions.js';

const member = userOf(115);
const admin = userOf(116);
const project = projectOf({
  admins: [admin.id],
  members: [member.id],
  groups: [groupOf(105, { members: [member.id] }), groupOf(106)],
});
const tracker = trackerOf([
  fieldOf(500, 'fieldset', {
    name: 'details',
    fields: [
      fieldOf(501, 'string', { name: 'title' }),
      fieldOf(502, 'sb', { name: 'status_id', bind: 'static' }),
      fieldOf(503, 'int', { name: 'points' }),
      fieldOf(504, 'date', { name: 'due' }),
    ],
  }),
  fieldOf(505, 'tbl', { name: 'tags', bind: 'static' }),
  fieldOf(506, 'msb', { name: 'team', bind: 'user_groups', from: [PROJECT_MEMBERS] }),
  fieldOf(507, 'string', {
    name: 'secret',
    permissions: { read: [PROJECT_ADMINS], submit: null, update: null },
  }),
  fieldOf(508, 'file', { name: 'attachment' }),
  fieldOf(509, 'perm', { name: 'who' }),
  fieldOf(510, 'string', { name: '502' }),
  fieldOf(514, 'string', { name: '512' }),
  fieldOf(511, 'string', { name: '__proto__' }),
  fieldOf(512, 'string', { name: 'gone', used: false }),
  fieldOf(513, 'text', { name: 'description' }),
  fieldOf(521, 'aid', { name: 'id' }),
  fieldOf(522, 'atid', { name: 'number' }),
  fieldOf(523, 'subby', { name: 'author' }),
  fieldOf(524, 'luby', { name: 'editor' }),
  fieldOf(525, 'subon', { name: 'created' }),
  fieldOf(526, 'lud', { name: 'changed' }),
]);
const definitions = definitionsOf({ users: [member, admin], projects: [project], trackers: [tracker] });
const anyone = viewer(definitions, null);

const read = (filter: unknown): readonly Criterion[] =>
  artifactFilter(tracker, { viewer: anyone, definitions }, filter);

function problem(filter: unknown): Problem {
  try {
    read(filter);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('The filter was accepted');
}

const day = (text: string): number => Date.parse(text) / 1000;

describe('the filter of artifacts', () => {
  describe('asks nothing', () => {
    for (const filter of [undefined, null, {}, []]) {
      it(`when it is ${JSON.stringify(filter)}`, () => {
        expect(read(filter)).to.deep.equal([]);
      });
    }

    for (const filter of [
      { title: ' ' },
      { points: '' },
      { due: { operator: '<', value: '' } },
      { status_id: [] },
      { status_id: 100 },
      { status_id: { operator: 'contains', value: '100' } },
      { status_id: [100, '100'] },
      { tags: ['b100', 100] },
      { due: { operator: 'between', value: [] } },
      { status_id: {} },
      { title: {} },
      { status_id: { id: 100 } },
      { status_id: { operator: '!=', value: [100] } },
      { title: { operator: '!=', value: ' ' } },
    ]) {
      it(`where a value says nothing: ${JSON.stringify(filter)}`, () => {
        expect(read(filter)).to.deep.equal([]);
      });
    }
  });

  describe('means', () => {
    const meanings: readonly (readonly [unknown, readonly Criterion[]])[] = [
      [{ title: 'bug' }, [{ type: 'contains', key: '101.f501', text: 'bug' }]],
      [
        { title: { operator: 'contains', value: '  Ünder  the\tBug bug ' } },
        ['ünder', 'the', 'bug'].map((text) => ({ type: 'contains', key: '101.f501', text })),
      ],
      [{ 501: 42 }, [{ type: 'contains', key: '101.f501', text: '42' }]],
      [{ title: '100%_' }, [{ type: 'contains', key: '101.f501', text: '100%_' }]],
      [{ title: '/' }, [{ type: 'contains', key: '101.f501', text: '/' }]],
      [{ points: 42 }, [{ type: 'any-of', key: '101.f503', values: [42] }]],
      [{ points: '-1.5e1' }, [{ type: 'any-of', key: '101.f503', values: [-15] }]],
      [{ points: '<5' }, [{ type: 'range', key: '101.f503', below: 5 }]],
      [{ points: '<= 5' }, [{ type: 'range', key: '101.f503', to: 5 }]],
      [{ points: '>5' }, [{ type: 'range', key: '101.f503', above: 5 }]],
      [{ points: '>=5' }, [{ type: 'range', key: '101.f503', from: 5 }]],
      [{ points: '1 - 9' }, [{ type: 'range', key: '101.f503', from: 1, to: 9 }]],
      [{ points: '-9--1' }, [{ type: 'range', key: '101.f503', from: -9, to: -1 }]],
      [{ id: 7 }, [{ type: 'any-of', key: '101.aid', values: [7] }]],
      [{ number: '>3' }, [{ type: 'range', key: '101.atid', above: 3 }]],
      [{ status_id: 504 }, [{ type: 'any-of', key: '101.f502', values: [504] }]],
      [{ status_id: ['504', 100, 505] }, [{ type: 'any-of', key: '101.f502', values: [504, 505] }]],
      [{ status_id: { id: 504 } }, [{ type: 'any-of', key: '101.f502', values: [504] }]],
      [{ status_id: { id: '504', other: 505 } }, [{ type: 'any-of', key: '101.f502', values: [504, 505] }]],
      [{ tags: { id: 'o7' } }, [{ type: 'any-of', key: '101.f505', values: ['o7'] }]],
      [{ team: { id: '110_3' } }, [{ type: 'any-of', key: '101.f506', values: [3] }]],
      [
        { due: { day: '2024-03-05' } },
        [{ type: 'range', key: '101.f504', from: day('2024-03-05'), to: day('2024-03-05') + 86_399 }],
      ],
      [{ author: { id: 115 } }, [{ type: 'any-of', key: '101.subby', values: [115] }]],
      [{ author: '115' }, [{ type: 'any-of', key: '101.subby', values: [115] }]],
      [{ editor: [115, 116] }, [{ type: 'any-of', key: '101.luby', values: [115, 116] }]],
      [{ team: ['110_3', 105] }, [{ type: 'any-of', key: '101.f506', values: [3, 105] }]],
      [{ tags: [12, '13', 'b14', 'o7'] }, [{ type: 'any-of', key: '101.f505', values: ['b12', 'b13', 'b14', 'o7'] }]],
      [
        { due: '2024-03-05' },
        [{ type: 'range', key: '101.f504', from: day('2024-03-05T00:00Z'), to: day('2024-03-05T23:59:59Z') }],
      ],
      [
        { due: { operator: '=', value: ['2024-03-05T23:30:00-01:00'] } },
        [{ type: 'range', key: '101.f504', from: day('2024-03-06T00:30Z'), to: day('2024-03-06T00:30Z') }],
      ],
      [
        { created: { operator: 'contains', value: '2024-03-05T10:11:12.345Z' } },
        [{ type: 'range', key: '101.subon', from: day('2024-03-05T10:11:12Z'), to: day('2024-03-05T10:11:12Z') }],
      ],
      [
        { created: { operator: '<', value: '2024-03-05' } },
        [{ type: 'range', key: '101.subon', below: day('2024-03-05') }],
      ],
      [
        { created: { operator: '>', value: '2024-03-05' } },
        [{ type: 'range', key: '101.subon', above: day('2024-03-05T23:59:59Z') }],
      ],
      [
        { created: { operator: '<', value: '2024-03-05 10:11' } },
        [{ type: 'range', key: '101.subon', below: day('2024-03-05T10:11Z') }],
      ],
      [
        { changed: { operator: '>', value: '2024-03-05T10:11:12.000Z' } },
        [{ type: 'range', key: '101.lud', above: day('2024-03-05T10:11:12Z') }],
      ],
      [
        { due: { operator: 'between', value: ['2024-02-29', '2024-03-05'] } },
        [{ type: 'range', key: '101.f504', from: day('2024-02-29T00:00Z'), to: day('2024-03-05T23:59:59Z') }],
      ],
      [
        { created: { operator: 'between', value: ['2024-03-05T10:11:12Z', '2024-03-05T10:11:13Z'] } },
        [{ type: 'range', key: '101.subon', from: day('2024-03-05T10:11:12Z'), to: day('2024-03-05T10:11:13Z') }],
      ],
      [
        { created: { operator: 'between', value: ['2024-03-05', '2024-03-05T10:11:13Z'] } },
        [{ type: 'range', key: '101.subon', from: day('2024-03-05'), to: day('2024-03-05T10:11:13Z') }],
      ],
    ];
    for (const [filter, criteria] of meanings) {
      it(JSON.stringify(filter), () => {
        expect(read(filter)).to.deep.equal(criteria);
      });
    }

    it('all of its fields at once', () => {
      expect(read({ title: 'a', points: 1, 501: 'b' })).to.have.length(3);
    });

    it('the field with the id, where another has that number for a name', () => {
      expect(read({ 502: 504 })).to.deep.equal([{ type: 'any-of', key: '101.f502', values: [504] }]);
    });

    it('the field with the number for a name, where none in use has this id', () => {
      expect(read({ 512: 'x' })).to.deep.equal([{ type: 'contains', key: '101.f514', text: 'x' }]);
    });

    it('a field, where the name is one of JavaScript’s own', () => {
      expect(read(JSON.parse('{"__proto__":"x"}'))).to.deep.equal([{ type: 'contains', key: '101.f511', text: 'x' }]);
    });
  });

  describe('is refused', () => {
    for (const filter of [
      'title',
      ['title'],
      7,
      true,
      { title: null },
      { title: true },
      { title: ['a'] },
      { title: { operator: 'contains' } },
      { title: { value: 'a' } },
      { title: { operator: 'like', value: 'a' } },
      { title: { operator: '<', value: 'a' } },
      { title: '/^a/' },
      { description: '!/a/' },
      { points: '/1/' },
      { points: 'many' },
      { points: '=5' },
      { points: '1 - ' },
      { points: '1e999' },
      { points: [1] },
      { status_id: 'New' },
      { status_id: [504, null] },
      { status_id: 1.5 },
      { status_id: '1e3' },
      { status_id: { operator: '<', value: 504 } },
      { status_id: { operator: '!=', value: 'New' } },
      { points: { operator: '!=', value: '>5' } },
      { points: { operator: 'empty', value: 1 } },
      { points: { operator: 'empty', value: '' } },
      { title: { operator: 'empty', value: ' ' } },
      { status_id: { operator: 'empty', value: [] } },
      { title: { operator: 'empty' } },
      { points: { n: null } },
      { team: '111_3' },
      { due: 'tomorrow' },
      { due: '03/04/2024' },
      { due: '2024-02-30' },
      { due: '2024-13-01' },
      { due: '2024-03-05T25:00Z' },
      { due: '2024-03-05T10:11:12 01:00' },
      { due: 20240305 },
      { due: ['2024-03-05', '2024-03-06'] },
      { due: { operator: 'between', value: '2024-03-05' } },
      { due: { operator: 'between', value: ['2024-03-05', ''] } },
      { due: { operator: 'between', value: ['2024-03-05', '2024-03-06', '2024-03-07'] } },
      { attachment: 1 },
      { details: 'x' },
    ]) {
      it(JSON.stringify(filter), () => {
        expect(problem(filter).kind).to.equal('invalid');
      });
    }

    it('with the name of the field and a pointer to it', () => {
      const { message, details } = problem({ points: 'many' });
      expect(message).to.contain('points');
      expect(details).to.have.length(1);
      expect(details?.[0]?.pointer).to.equal('/points');
    });

    it('with all the fields that do not exist', () => {
      const { message, details } = problem({ title: 'a', nope: 1, constructor: 2, 'a/b~c': 3, gone: 4, 999: 5 });
      expect(message).to.match(/999, nope, constructor, a\/b~c, gone$/);
      expect(details?.map(({ pointer }) => pointer)).to.include('/a~1b~0c');
    });

    it('with a field that the viewer may not read, as one that does not exist', () => {
      const { message, details } = problem({ secret: null, 507: { operator: '~' } });
      expect(message).to.match(/507, secret$/);
      expect(details).to.have.length(2);
      expect(
        artifactFilter(tracker, { viewer: viewer(definitions, admin), definitions }, { secret: 'x' }),
      ).to.have.length(1);
    });

    it('when it is beyond all bounds', () => {
      const fields = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`f${index}`, 1]));
      expect(problem(fields).message).to.contain('30');
      const words = Array.from({ length: 51 }, (_, index) => `w${index}`).join(' ');
      expect(problem({ title: words }).message).to.contain('50');
      const ids = Array.from({ length: 501 }, (_, index) => 1000 + index);
      expect(problem({ status_id: ids }).message).to.contain('500');
    });
  });
});
