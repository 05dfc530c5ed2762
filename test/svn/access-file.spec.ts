import { expect } from 'chai';
import fc from 'fast-check';
import { accessFileFaults } from '../../src/svn/access-file.js';

const noGroups: (name: string) => boolean = () => false;
const linesOf = (text: string, isKnownGroup = noGroups): readonly number[] =>
  accessFileFaults(text, isKnownGroup, Infinity).map(({ line }) => line);
const firstMessage = (text: string): string => accessFileFaults(text, noGroups, 1)[0]?.message ?? '';

describe('an access file', () => {
  it('may be empty, or say nothing', () => {
    expect(linesOf('')).to.deep.equal([]);
    expect(linesOf('\n\n# a comment = no rule\r\n   \r\n')).to.deep.equal([]);
  });

  it('may use all that svn knows', () => {
    const text = `
# who is who
[aliases]
joe = cn=Joe Hacker,ou=Developers,o=Example

[groups]
devs = ann, bob,
  carol,
\t&joe
all = @devs, dave
none =

[/]
* = r
@all = rw
[/branches/next]
~@devs =
$anonymous =
&joe = rw
joe.smith@example.org: r
[repo01:/tags]
$authenticated = r
~bob =
  rw
[:glob:/**/*.key]
* =
`;
    expect(linesOf(text)).to.deep.equal([]);
    expect(linesOf(text.replaceAll('\n', '\r\n'))).to.deep.equal([]);
    expect(linesOf(text.replaceAll('\n', '\r'))).to.deep.equal([]);
  });

  it('is read as svn reads it behind the bracket of a section: not at all', () => {
    expect(linesOf('[/] * = rw\r\n* = rw')).to.deep.equal([]);
  });

  it('may name the groups that the platform keeps', () => {
    const text = '[/]\n@members = rw\n@strangers = r';
    expect(linesOf(text, (name) => name === 'members')).to.deep.equal([3]);
  });

  const WRONG: readonly (readonly [why: string, text: string, line: number])[] = [
    ['a rule before any section', '* = rw\n[/]', 1],
    ['a section that does not end', '[groups\na = b', 1],
    ['a section that is none', '\n[group]\na = b', 2],
    ['a path that is not from the root', '[trunk]', 1],
    ['an empty section', '[]', 1],
    ['a line without an equals sign', '[/]\n* rw', 2],
    ['a rule for nobody', '[/]\n = rw', 2],
    ['an access that there is not', '[/]\n* = write', 2],
    ['an access in capitals', '[/]\n* = RW', 2],
    ['a second access in a further line', '[/]\n* = r\n  w', 3],
    ['a comment that is indented behind an access', '[/]\n* = r\n  # no', 3],
    ['a group that is not defined', '[/]\n@devs = rw', 2],
    ['an excepted group that is not defined', '[/]\n~@devs = rw', 2],
    ['an alias that is not defined', '[/]\n&joe = rw', 2],
    ['an alias without a meaning', '[aliases]\njoe =', 2],
    ['a member that is not defined', '[groups]\na = b,\n  @c', 3],
    ['a member that is everybody', '[groups]\na = *', 2],
    ['a token that there is not', '[/]\n$everybody = r', 2],
    ['an exception of everybody', '[/]\n~* = r', 2],
    ['an exception of nobody', '[/]\n~ = r', 2],
    ['an indented line with nothing before it', '[/]\n  * = r', 2],
    ['an indented line behind an empty one', '[/]\n* = r\n\n  ann = r', 4],
    ['an indented line at the start', ' [/]', 1],
    ['a control character', '[/]\n* = r\u0000', 2],
  ];

  for (const [why, text, line] of WRONG) {
    it(`is refused for ${why}, by line`, () => {
      expect(linesOf(text)).to.include(line);
      expect(linesOf(text)[0]).to.equal(line);
    });
  }

  it('has no circles of groups, while chains and shared members are fine', () => {
    expect(linesOf('[groups]\na = @b\nb = @c, ann\nc = @a\nd = @a\ne = bob')).to.deep.equal([2, 3, 4]);
    expect(linesOf('[groups]\na = @a')).to.deep.equal([2]);
    expect(linesOf('[groups]\na = @b, @c\nb = @d\nc = @d\nd = ann')).to.deep.equal([]);
  });

  it('is judged in no time when it is long', () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => `g${index} = @g${index + 1}`);
    const started = performance.now();
    expect(linesOf(['[groups]', ...chain, 'g20000 = ann'].join('\n'))).to.deep.equal([]);
    expect(linesOf(['[groups]', ...chain, 'g20000 = @g0'].join('\n'))).to.have.length(20_001);
    expect(performance.now() - started).to.be.below(5000);
  });

  it('names every line that is wrong, and quotes no more than a little of it', () => {
    expect(linesOf('x\n[/]\n* = a\n* = r\n@b = c')).to.deep.equal([1, 3, 5, 5]);
    expect(firstMessage(`[/]\n@${'x'.repeat(10_000)} = r`)).to.have.length.below(200);
  });

  const piece = fc.constantFrom(
    ...[
      '[',
      ']',
      '/',
      'groups',
      'aliases',
      '=',
      ':',
      ' ',
      '\t',
      '\n',
      '\r',
      ',',
      '@',
      '&',
      '~',
      '*',
      '$',
      '#',
      'a',
      'rw',
    ],
  );

  const soup = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
  );

  it('is told of its first faults, by line, when no more are asked for', () => {
    fc.assert(
      fc.property(soup, fc.nat({ max: 5 }), (text, most) => {
        expect(accessFileFaults(text, noGroups, most)).to.deep.equal(
          accessFileFaults(text, noGroups, Infinity).slice(0, most),
        );
      }),
    );
  });

  it('never leaves its reader at a loss: whatever it holds, faults are in its lines', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const lines = text.split(/\r\n|\n|\r/).length;
        const named = linesOf(text);
        expect(named.every((line) => Number.isInteger(line) && line >= 1 && line <= lines)).to.equal(true);
        expect(named).to.deep.equal([...named].sort((a, b) => a - b));
      }),
    );
  });

  const name = fc.stringMatching(/^[a-z][a-z0-9._-]{0,7}$/);
  const blank = fc.constantFrom('', ' ', '\t');
  const noise = fc.array(fc.constantFrom('', '# a comment', '   '), { maxLength: 2 });
  const path = fc.array(name, { maxLength: 3 }).map((names) => `/${names.join('/')}`);

  /** Groups in an order, each holding users and groups before it. */
  const validFile = fc
    .record({
      groups: fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
      users: fc.array(name, { minLength: 1, maxLength: 4 }),
      paths: fc.array(path, { maxLength: 4 }),
      mode: fc.constantFrom('rw', 'r', ''),
      space: blank,
      noise,
      end: fc.constantFrom('\n', '\r\n'),
    })
    .map(({ groups, users, paths, mode, space, noise: extra, end }) => {
      const members = (index: number): string[] => [...users, ...groups.slice(0, index).map((group) => `@${group}`)];
      const principals = ['*', '$authenticated', ...users, ...groups.flatMap((group) => [`@${group}`, `~@${group}`])];
      const lines = [
        ...extra,
        '[groups]',
        ...groups.map((group, index) => `${group}${space}=${members(index).join(`,${end}  `)}`),
        ...paths.flatMap((at) => [...extra, `[${at}]`, ...principals.map((who) => `${who}${space}=${space}${mode}`)]),
      ];
      return { text: lines.join(end), end };
    });

  it('passes when it is valid, and not once any line of it is broken', () => {
    fc.assert(
      fc.property(validFile, fc.nat(), ({ text, end }, at) => {
        expect(accessFileFaults(text, noGroups, Infinity)).to.deep.equal([]);
        const lines = text.split(end);
        const index = at % (lines.length + 1);
        const broken = lines.toSpliced(index, 0, '=');
        expect(linesOf(broken.join(end))).to.include(index + 1);
      }),
    );
  });
});
