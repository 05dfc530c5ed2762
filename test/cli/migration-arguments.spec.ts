import { expect } from 'chai';
import { migrationArguments } from '../../src/cli/migration-arguments.js';

describe('the arguments of npm run migrate', () => {
  it('say which way', () => {
    expect(migrationArguments(['--from', 'embedded', '--to', 'production'])).to.equal('embedded');
    expect(migrationArguments(['--to=embedded', '--from=production'])).to.equal('production');
    expect(migrationArguments(['--help'])).to.equal(null);
  });

  for (const [args, message] of [
    [[], /^--from has to be one of embedded, production\nUsage:/],
    [['--from', 'embedded'], /^--to has to be one of embedded, production\nUsage:/],
    [['--from', 'sqlite', '--to', 'production'], /^--from has to be one of/],
    [['--from', 'production', '--to', 'production'], /^--from and --to are both production\nUsage:/],
    [['--form', 'embedded'], /^Unknown option '--form'/],
    [['embedded', 'production'], /^Unexpected argument 'embedded'/],
  ] as const) {
    it(`are refused as '${args.join(' ')}'`, () => {
      expect(() => migrationArguments(args)).to.throw(message);
    });
  }
});
