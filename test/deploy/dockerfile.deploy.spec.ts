import { expect } from 'chai';
import { textOf } from './compose-files.js';
import { DOCKERFILE_RULES, stagesOf } from './dockerfile-rules.js';

type RuleName = keyof typeof DOCKERFILE_RULES;

const names = Object.keys(DOCKERFILE_RULES) as readonly RuleName[];
const dockerfile = textOf('Dockerfile');

/** For each rule, how the Dockerfile is changed for the worse. */
const BAD: Readonly<Record<RuleName, readonly (readonly [before: string | RegExp, after: string])[]>> = {
  pinnedBases: [
    [/^FROM \S+$/m, 'FROM node'],
    [/^FROM \S+ AS build$/m, 'FROM node:latest AS build'],
    [/^FROM \S+ AS dependencies$/m, 'FROM node:24-slim AS dependencies'],
    [/^FROM \S+$/m, 'FROM later'],
  ],
  user: [
    [/^USER .*\n/m, ''],
    [/^USER .*$/m, 'USER root'],
    [/^USER .*$/m, 'USER 0:0'],
    [/^USER .*$/m, 'USER 10001:0'],
    [/^(USER .*)$/m, '$1\nUSER 0'],
  ],
  nothingAdded: [['COPY src src', 'ADD https://example.org/src.tar.gz src']],
  healthCheck: [
    [/^HEALTHCHECK[^[]*\[.*\]$/m, ''],
    [/^HEALTHCHECK[^[]*\[.*\]$/m, 'HEALTHCHECK NONE'],
    [/^HEALTHCHECK[^[]*\[.*\]$/m, 'HEALTHCHECK CMD curl http://localhost'],
  ],
  command: [
    [/^CMD .*$/m, 'CMD node dist/src/cli/tracker-ledger.js start'],
    [/^CMD .*$/m, ''],
  ],
  stopSignal: [
    [/^STOPSIGNAL .*\n/m, ''],
    ['STOPSIGNAL SIGTERM', 'STOPSIGNAL SIGKILL'],
  ],
  copiedFromStages: [['COPY --from=build /build/dist dist', 'COPY . .']],
  dependencies: [
    ['npm ci --omit=dev', 'npm ci'],
    ['--omit=dev --ignore-scripts', '--omit=dev'],
    ['npm ci --ignore-scripts --no-audit --no-fund', 'npm install --ignore-scripts'],
    ['--from=dependencies /build/node_modules', '--from=build /build/node_modules'],
  ],
};

describe('the Dockerfile', () => {
  for (const name of names) {
    it(`keeps the rule ${name}`, () => {
      expect(DOCKERFILE_RULES[name](stagesOf(dockerfile))).to.deep.equal([]);
    });

    it(`would be caught breaking the rule ${name}`, () => {
      for (const [before, after] of BAD[name]) {
        const worse = dockerfile.replace(before, after);
        expect(worse).not.to.equal(dockerfile);
        expect(DOCKERFILE_RULES[name](stagesOf(worse)), after).to.have.length.above(0);
      }
    });
  }

  it('is given nothing but what it copies', () => {
    const [all, ...admitted] = textOf('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(all).to.equal('*');
    const copied = stagesOf(dockerfile)
      .flatMap(({ instructions }) => instructions)
      .filter((instruction) => instruction.getKeyword() === 'COPY' && !instruction.getTextContent().includes('--from='))
      .flatMap((instruction) =>
        instruction
          .getArguments()
          .slice(0, -1)
          .map((argument) => `!${argument.getValue()}`),
      );
    expect(admitted).to.have.members([...new Set(copied)]);
  });

  it('says the same port and path of health as the service', () => {
    expect(dockerfile)
      .to.match(/PORT=8080\b/)
      .and.to.match(/^EXPOSE 8080$/m);
    expect(dockerfile).to.include('/health/live`');
  });
});
