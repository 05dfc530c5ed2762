/** What an image for production has to keep to. Each rule answers the faults that it finds in a Dockerfile. */
import { DockerfileParser, type From, type Instruction } from 'dockerfile-ast';
import { isPinned } from './compose-rules.js';

interface Stage {
  readonly from: From;
  readonly instructions: readonly Instruction[];
}

type Rule = (stages: readonly Stage[]) => readonly string[];

/** Stages, from the first to the one that becomes the image. */
export function stagesOf(text: string): readonly Stage[] {
  const stages: { from: From; instructions: Instruction[] }[] = [];
  const dockerfile = DockerfileParser.parse(text);
  const froms = new Map(dockerfile.getFROMs().map((from) => [from.getRange().start.line, from]));
  for (const instruction of dockerfile.getInstructions()) {
    const from = froms.get(instruction.getRange().start.line);
    if (from === undefined) stages.at(-1)?.instructions.push(instruction);
    else stages.push({ from, instructions: [] });
  }
  return stages;
}

const keyword = (instruction: Instruction): string => instruction.getKeyword();
const argumentsOf = (instruction: Instruction | undefined): string =>
  instruction?.getRawArgumentsContent()?.trim() ?? '';

const allOf = (stage: Stage | undefined, word: string): readonly Instruction[] =>
  stage?.instructions.filter((instruction) => keyword(instruction) === word) ?? [];

const lastOf = (stages: readonly Stage[], word: string): Instruction | undefined => allOf(stages.at(-1), word).at(-1);

const isExecForm = (text: string): boolean => {
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string');
  } catch {
    return false;
  }
};

const pinnedBases: Rule = (stages) => {
  const earlier = new Set<string>();
  return stages.flatMap(({ from }) => {
    const image = from.getImage() ?? '';
    const isKnown = earlier.has(image) || isPinned(image);
    earlier.add(from.getBuildStage() ?? '');
    return isKnown ? [] : [`FROM ${image} names no full version`];
  });
};

const user: Rule = (stages) => {
  const name = argumentsOf(lastOf(stages, 'USER'));
  return /^[1-9]\d*:[1-9]\d*$/.test(name) ? [] : [`the user is not one by numbers other than root's: ${name}`];
};

const nothingAdded: Rule = (stages) =>
  stages.flatMap((stage) => allOf(stage, 'ADD').map((add) => `ADD ${argumentsOf(add)} can fetch and unpack`));

const healthCheck: Rule = (stages) => {
  const text = argumentsOf(lastOf(stages, 'HEALTHCHECK'));
  const command = text.slice(text.indexOf('CMD') + 'CMD'.length).trim();
  return text.includes('CMD') && isExecForm(command) ? [] : ['there is no health check in exec form'];
};

const command: Rule = (stages) => {
  const text = argumentsOf(lastOf(stages, 'CMD'));
  return isExecForm(text) ? [] : [`the command is not in exec form, so that no signal reaches it: ${text}`];
};

const stopSignal: Rule = (stages) =>
  argumentsOf(lastOf(stages, 'STOPSIGNAL')) === 'SIGTERM' ? [] : ['it is not stopped by SIGTERM'];

/** The image is made of what other stages made, not of what lies about where it is built. */
const copiedFromStages: Rule = (stages) =>
  allOf(stages.at(-1), 'COPY')
    .filter((copy) => !/^COPY --from=\w+ /.test(copy.getTextContent()))
    .map((copy) => `COPY ${argumentsOf(copy)} takes from outside`);

/** npm ci runs no script of a package, and of what stays only what is needed to run. */
const dependencies: Rule = (stages) => {
  const installs = stages.flatMap((stage) => allOf(stage, 'RUN').map(argumentsOf)).filter((run) => /\bnpm\b/.test(run));
  const loose = installs.filter((run) => !/^npm (run \w+|ci .*--ignore-scripts\b.*)$/.test(run));
  const kept = /--from=(\w+) \S*node_modules/.exec(
    stages
      .at(-1)
      ?.instructions.map((each) => each.getTextContent())
      .join('\n') ?? '',
  );
  const source = stages.find(({ from }) => from.getBuildStage() === kept?.[1]);
  const isBare = allOf(source, 'RUN').some((run) => argumentsOf(run).includes('--omit=dev'));
  return [
    ...loose.map((run) => `RUN ${run} does more than npm ci`),
    ...(isBare ? [] : ['it holds what only developers need']),
  ];
};

export const DOCKERFILE_RULES = {
  pinnedBases,
  user,
  nothingAdded,
  healthCheck,
  command,
  stopSignal,
  copiedFromStages,
  dependencies,
} satisfies Readonly<Record<string, Rule>>;
