/** Access files of which each is here as svnauthz of svn 1.14 answers it: read, or refused for what stands in a line. */
import { expect } from 'chai';
import { accessFileFaults } from '../../src/svn/access-file.js';

const messagesOf = async (text: string): Promise<readonly string[]> =>
  (await accessFileFaults(text, () => false, 100)).map(({ line, message }) => `${line} ${message}`);

const READ: readonly (readonly [why: string, text: string])[] = [
  ['a right to write and read', '[/]\nmem = wr'],
  ['rights with white space between them', '[/]\nmem = r w\nout = r\tw\nbob = r\fw'],
  ['a right that is given twice', '[/]\nmem = rwr'],
  ['rights in two lines', '[/]\nmem = r\n  w\nout =\n  w\n  r'],
  ['a slash in the name of a repository', '[a/b:/x]\nmem = r\n[c/b:/x]\n[:glob:a/b:/y]'],
  ['a colon in a path', '[/a/:/b]\n[/x:y]'],
  ['a user whose name begins like a token, in a group', '[groups]\ng : $anonymous\nh = *, ~mem, ~@g'],
  ['a user without a name', '[/]\n= r\n~ = r'],
  ['an alias without a meaning', '[aliases]\nb =\n[/]\n&b = r'],
  ['a form feed or a vertical tab alone in a line', '[/]\n\f\nmem = r\n\v\n[/a]'],
  ['a form feed before a continued line', '[groups]\ng = mem,\n\fout'],
  ['a reference that goes on from a name in the line before', '[groups]\ng = mem\n  @nobody'],
  ['a name with white space that svn does not know', '[groups]\ng\u00a0= mem\ng = \u00a0@nobody'],
  ['a slash twice at the start of a path', '[//]\n[/a]\n[:glob:repo://a/]'],
  ['three dots', '[/...]\n[/.a/b.]'],
  ['the same path in two repositories', '[/a]\n[r:/a]\n[R:/a]\n[/A]\n[/a ]'],
  ['the same name as a group and as an alias', '[groups]\ng = mem\nG = mem\n[aliases]\ng = mem'],
  ['the same user twice in a section', '[/]\nmem = r\nmem = rw\n* = r\n* = rw'],
  ['wildcards, and their signs as names', '[/*]\n[:glob:/*]\n[:glob:/**]\n[/**]\n[:glob:/***]\n[:glob:/*/*]'],
  ['wildcards at one end', '[/a*]\n[:glob:/a*]\n[:glob:/*a]\n[:glob:/a**]\n[:glob:/*a*]\n[:glob:/*a\\*]'],
  [
    'wildcards inside, with and without a backslash',
    '[:glob:/a?b]\n[:glob:/a?\\b]\n[/a?b]\n[:glob:/a*b]\n[:glob:/a*\\b]',
  ],
  ['an alias that means a group', '[aliases]\nb = @g\n[groups]\ng = mem\n[/]\n&b = r'],
  ['an alias that means a group that is not defined, and is in no rule', '[aliases]\nb = @no\n[groups]\ng = &b'],
];

const NOT_CANONICAL = 'has a path with a step that is empty, . or .. (or with a slash at the end)';
const NO_SECTION = 'is no section: expected [groups], [aliases], [/path] or [repository:/path]';
const NO_NAME = 'is no name of a group or alias: none begins with @, $, &, * or ~';
const sameAs = (line: number): string => `repeats the section of line ${line}`;
const noRight = (text: string): string => `"${text}" is not an access right; use rw, r or nothing`;

const REFUSED: readonly (readonly [why: string, text: string, ...messages: string[]])[] = [
  ['a slash at the end of a path', '[/a/]\n[r:/a/]\n[:glob:/*/]', ...[1, 2, 3].map((at) => `${at} ${NOT_CANONICAL}`)],
  ['an empty step', '[/a//b]', `1 ${NOT_CANONICAL}`],
  ['steps of dots', '[/a/../b]\n[/a/.]\n[/./b]\n[:glob:/**/..]', ...[1, 2, 3, 4].map((at) => `${at} ${NOT_CANONICAL}`)],
  ['a repository without a name', '[:/a]\n[:glob::/a]', `1 ${NO_SECTION}`, `2 ${NO_SECTION}`],
  ['two names of a repository', '[a:b:/]', `1 ${NO_SECTION}`],
  ['a section that is there twice', '[/]\n* = r\n[/]\nmem = rw\n[r:/]\n[r:/]', `3 ${sameAs(1)}`, `6 ${sameAs(5)}`],
  ['two sections of groups', '[groups]\ng = mem\n[aliases]\n[groups]\n[aliases]', `4 ${sameAs(1)}`, `5 ${sameAs(3)}`],
  ['the same rule with wildcards', '[/]\n* = r\n[:glob:/]\nmem = rw', `3 ${sameAs(1)}`],
  ['the root with more slashes', '[/]\n[//]\n[:glob://a]', `2 ${sameAs(1)}`, `3 ${sameAs(1)}`],
  [
    'a backslash before a letter',
    '[/ab]\n[:glob:/a\\b]\n[:glob:/ab*]\n[:glob:/\\ab*]',
    `2 ${sameAs(1)}`,
    `4 ${sameAs(3)}`,
  ],
  [
    'a backslash before a sign',
    '[/a*]\n[:glob:/a\\*]\n[:glob:/*.c]\n[:glob:/*\\.c]',
    `2 ${sameAs(1)}`,
    `4 ${sameAs(3)}`,
  ],
  [
    'a backslash at the end',
    '[:glob:/a\\]\n[/a\\]\n[:glob:/*a\\]\n[:glob:/*a\\\\]',
    `2 ${sameAs(1)}`,
    `4 ${sameAs(3)}`,
  ],
  ['stars in another order', '[:glob:/**/*/**/a]\n[:glob:/*/**/a]', `2 ${sameAs(1)}`],
  ['any depth twice', '[:glob:/**]\n[:glob:/**/**]', `2 ${sameAs(1)}`],
  ['a group that is defined twice', '[groups]\ng = mem\ng = out\n[/]\n@g = r', '3 defines "g" again, after line 2'],
  ['an alias that is defined twice', '[aliases]\nb = mem\nc = mem\nb =', '4 defines "b" again, after line 2'],
  ['a name of a group with a sign', '[groups]\n@g = mem\n~h = mem', `2 "@g" ${NO_NAME}`, `3 "~h" ${NO_NAME}`],
  ['a name of an alias with a sign', '[aliases]\n&b = mem\n* = mem', `2 "&b" ${NO_NAME}`, `3 "*" ${NO_NAME}`],
  ['a group without a name', '[groups]\n= mem', '2 has no name before the equals sign'],
  ['a right to write alone', '[/]\nmem = w\n* =\n  w', `2 ${noRight('w')}`, `4 ${noRight('w')}`],
  ['a right to write beside one to read', '[/]\nmem = r\nmem = w', `3 ${noRight('w')}`],
  ['white space in a right that svn does not know', '[/]\nmem = r\u00a0w', `2 ${noRight('r\u00a0w')}`],
  [
    'a reference that goes on in the next line',
    '[groups]\ng = mem\nh = out,\n  @g\n  bob, @g',
    '4 names the group "g bob", which is not defined',
  ],
  [
    'an alias that means a group that is not defined',
    '[aliases]\nb = @no\n[/]\n&b = r\n~&b = r',
    ...[4, 5].map((at) => `${at} names the group "no", which is not defined`),
  ],
];

describe('an access file is read as svn reads it', () => {
  for (const [why, text] of READ) {
    it(`with ${why}`, async () => {
      expect(await messagesOf(text)).to.deep.equal([]);
      expect(await messagesOf(text.replaceAll('\n', '\r\n'))).to.deep.equal([]);
    });
  }
});

describe('an access file that svn could not read is refused, by line', () => {
  for (const [why, text, ...messages] of REFUSED) {
    it(`for ${why}`, async () => {
      expect(await messagesOf(text)).to.deep.equal(messages);
    });
  }
});
