import { expect } from 'chai';
import fc from 'fast-check';
import { accessFileFaults } from '../../src/svn/access-file.js';

const noGroups: (name: string) => boolean = () => false;
const linesOf = async (text: string, isKnownGroup = noGroups): Promise<readonly number[]> =>
  (await accessFileFaults(text, isKnownGroup, Infinity)).map(({ line }) => line);
const firstMessage = async (text: string): Promise<string> =>
  (await accessFileFaults(text, noGroups, 1))[0]?.message ?? '';

describe('an access file', () => {
  it('may be empty, or say nothing', async () => {
    expect(await linesOf('')).to.deep.equal([]);
    expect(await linesOf('\n\n# a comment = no rule\r\n   \r\n')).to.deep.equal([]);
  });

  it('may use all that svn knows', async () => {
    const text = `
# who is who
[aliases]
joe = cn=Joe Hacker,ou=Developers,o=Example
sue =
  cn=Sue

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
~$authenticated = r
&joe = rw
&sue = r
joe.smith@example.org: r
[repo01:/tags]
$authenticated = r
~bob =
  rw
[:glob:/**/*.key]
* =
`;
    expect(await linesOf(text)).to.deep.equal([]);
    expect(await linesOf(text.replaceAll('\n', '\r\n'))).to.deep.equal([]);
  });

  it('is read as svn reads it behind the bracket of a section: not at all', async () => {
    expect(await linesOf('[/] * = rw\r\n* = rw')).to.deep.equal([]);
  });

  it('may begin with the mark of the byte order, as some editors write it', async () => {
    expect(await linesOf('\uFEFF[/]\n* = r\n')).to.deep.equal([]);
    expect(await linesOf('[/]\n\uFEFF\n* = r\n')).to.deep.equal([2]);
  });

  it('may name the groups that the platform keeps', async () => {
    const text = '[/]\n@members = rw\n@strangers = r';
    expect(await linesOf(text, (name) => name === 'members')).to.deep.equal([3]);
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
    ['an access that there is not, before a second one', '[/]\n* = x\n  r', 2],
    ['a comment that is indented behind an access', '[/]\n* = r\n  # no', 3],
    ['a group that is not defined', '[/]\n@devs = rw', 2],
    ['an excepted group that is not defined', '[/]\n~@devs = rw', 2],
    ['an alias that is not defined', '[/]\n&joe = rw', 2],
    ['an alias in the place of a group', '[aliases]\njoe = cn=Joe\n[/]\n@joe = r', 4],
    ['a group in the place of an alias', '[groups]\njoe = ann\n[/]\n&joe = r', 4],
    ['a member that is not defined', '[groups]\na = b,\n  @c', 3],
    ['a token that there is not', '[/]\n$everybody = r', 2],
    ['an exception of everybody', '[/]\n~* = r', 2],
    ['an indented line with nothing before it', '[/]\n  * = r', 2],
    ['an indented line behind an empty one', '[/]\n* = r\n\n  ann = r', 4],
    ['an indented line behind an empty one, in a group', '[groups]\na = b,\n\n  c', 4],
    ['an indented line behind a section', '[groups]\na = b,\n[/]\n  c', 4],
    ['an indented line at the start', ' [/]', 1],
    ['a control character', '[/]\n* = r\u0000', 2],
    ['lines that end in carriage returns alone', '[/]\r* = r\r', 1],
  ];

  for (const [why, text, line] of WRONG) {
    it(`is refused for ${why}, by line`, async () => {
      expect(await linesOf(text)).to.include(line);
      expect((await linesOf(text))[0]).to.equal(line);
    });
  }

  it('may hold tabs, also where another line holds a control character', async () => {
    expect(await linesOf('[groups]\na = b,\n\tc\n[/]\n*\t=\tr\u0000\n@a =\tr')).to.deep.equal([5]);
  });

  it('is not judged behind a section that is none', async () => {
    expect(await linesOf('[/]\n* = r\n[nonsense]\n@x = all\nnonsense = nonsense\n[/a]\n@x = r')).to.deep.equal([3, 7]);
  });

  it('has no circles of groups, while chains and shared members are fine', async () => {
    expect(await linesOf('[groups]\na = @b\nb = @c, ann\nc = @a\nd = @a\ne = bob')).to.deep.equal([2, 3, 4]);
    expect(await linesOf('[groups]\na = @a')).to.deep.equal([2]);
    expect(await linesOf('[groups]\na = @b, @c\nb = @a\nc = @d\nd = ann')).to.deep.equal([2, 3]);
    expect(await linesOf('[groups]\na = @b, @c\nb = @d\nc = @d\nd = ann')).to.deep.equal([]);
  });

  it('is judged in no time when it is long', async () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => `g${index} = @g${index + 1}`);
    const started = process.cpuUsage();
    expect(await linesOf(['[groups]', ...chain, 'g20000 = ann'].join('\n'))).to.deep.equal([]);
    expect(await linesOf(['[groups]', ...chain, 'g20000 = @g0'].join('\n'))).to.have.length(20_001);
    expect(process.cpuUsage(started).user).to.be.below(5_000_000);
  });

  it('is told of all its faults by line, those of the lines before those of what they say', async () => {
    const text =
      '=\n[groups]\na = @b, *, @x, &y\nb = @a,\n  ~z, &z\n=@q\n[aliases]\n~c =\n[/]\n~@a = x\n~~ = r\n* = r\n  rx\n[/]\n[';
    const faults = await accessFileFaults(text, noGroups, Infinity);
    expect(faults.map(({ line, message }) => `${line} ${message}`)).to.deep.equal([
      '1 stands before the first section',
      '3 names the group "x", which is not defined',
      '3 names the alias "y", which is not defined',
      '3 the group "a" is part of a cycle of groups',
      '4 the group "b" is part of a cycle of groups',
      '5 names the alias "z", which is not defined',
      '6 has no name before the equals sign',
      '6 names the group "q", which is not defined',
      '8 "~c" is no name of a group or alias: none begins with @, $, &, * or ~',
      '10 "x" is not an access right; use rw, r or nothing',
      '11 "~~" is not a user, group or alias that a rule can name',
      '13 "rx" is not an access right; use rw, r or nothing',
      '14 repeats the section of line 9',
      '15 is no section: expected [groups], [aliases], [/path] or [repository:/path]',
    ]);
  });

  it('names every line that is wrong, once for each fault, and quotes no more than a little of it', async () => {
    expect(await linesOf('[/]\n = rw')).to.deep.equal([2]);
    expect(await linesOf('x\n[/]\n* = a\n* = r\n@b = c')).to.deep.equal([1, 3, 5, 5]);
    expect(await firstMessage(`[/]\n@${'x'.repeat(10_000)} = r`)).to.have.length.below(200);
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

  it('is told of its first faults, by line, when no more are asked for', async () => {
    await fc.assert(
      fc.asyncProperty(soup, fc.nat({ max: 5 }), async (text, most) => {
        const all = await accessFileFaults(text, noGroups, Infinity);
        expect(await accessFileFaults(text, noGroups, most)).to.deep.equal(all.slice(0, most));
      }),
    );
  });

  it('never leaves its reader at a loss: regardless of its content, faults are in its lines', async () => {
    await fc.assert(
      fc.asyncProperty(soup, async (text) => {
        const lines = text.split(/\r\n|\n|\r/).length;
        const named = await linesOf(text);
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
      paths: fc.uniqueArray(path, { maxLength: 4 }),
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

  it('passes when it is valid, and not once any line of it is broken', async () => {
    await fc.assert(
      fc.asyncProperty(validFile, fc.nat(), async ({ text, end }, at) => {
        expect(await accessFileFaults(text, noGroups, Infinity)).to.deep.equal([]);
        const lines = text.split(end);
        const index = at % (lines.length + 1);
        const broken = lines.toSpliced(index, 0, 'x');
        expect(await linesOf(broken.join(end))).to.include(index + 1);
      }),
    );
  });
});
