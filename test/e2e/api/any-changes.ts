import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { type ArtifactApi } from '../../artifacts/artifact-api.js';
import { type Answer } from '../../support/client.js';

const PLATFORM = readFileSync(new URL('../../support/platform.yaml', import.meta.url), 'utf8');

/** Names, permissions, groups: each in two states. */
const SWITCHES = [
  ['label: Title, type: string, required', 'label: Heading, type: string, required'],
  ['label: Bugs', 'label: Defects'],
  ['label: Hydra', 'label: Lernaia'],
  ['Carol Clark', 'Carol Clarke'],
  ['access: [all_users]', 'access: [project_members]'],
  ['label: Effort, type: float', 'label: Effort, type: float, permissions: { read: [project_members] }'],
  ['admins: [bob]', 'admins: []'],
  ['members: [bob, carol]', 'members: [bob, carol, dave]'],
  ['Developers, members: [bob]', 'Developers, members: [bob, dave]'],
  ['label: Notes', 'label: Remarks\n        permissions: { access: [project_members] }'],
] as const;

export const READERS = ['alice', 'bob', 'dave', undefined];
const BUGS = 3;
/** The one after the bugs is a note. */
const trackerOf = (which: number): string => (which === BUGS ? 'note' : 'bug');

export type Command =
  | { readonly type: 'retitle' | 'unlink' | 'limit' | 'delete'; readonly which: number }
  | { readonly type: 'link'; readonly which: number; readonly to: number }
  | { readonly type: 'switch'; readonly which: number };

const which = fc.nat(BUGS);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constant('link' as const), which, to: which }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('retitle', 'unlink', 'limit', 'delete'), which }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('switch' as const), which: fc.nat(SWITCHES.length - 1) }) },
);

export const commands = fc.array(command, { minLength: 8, maxLength: 16 });

/** Bugs and a note, and what may happen to them and to the platform. */
export interface Changing {
  readonly ids: number[];
  readonly carryOut: (command: Command) => Promise<void>;
}

/** On a platform that is as it was at first. */
export async function changing(api: ArtifactApi): Promise<Changing> {
  const switched = new Set<number>();
  const ids: number[] = [];
  const applied = async (): Promise<void> => {
    const text = SWITCHES.reduce(
      (whole, [from, to], at) => (switched.has(at) ? whole.replace(from, to) : whole),
      PLATFORM,
    );
    await api.operate('apply', { text, prune: true, env: {} });
  };

  async function carryOut(done: Command): Promise<void> {
    const id = ids[done.which]!;
    const tracker = trackerOf(done.which);
    const change = async (...values: readonly unknown[]): Promise<void> => {
      await api.changed(id, values, { as: 'alice' });
    };
    const link = (to: readonly number[]): Promise<void> =>
      change(api.set('links', { links: to.filter((end) => end !== id).map((end) => ({ id: end })) }, tracker));
    const [group] = api.service.definitions.projectNamed('hydra')!.groups;
    const ways = {
      retitle: () => change(api.titled(`Title ${Math.random()}`, tracker)),
      link: () => link(done.type === 'link' ? [ids[done.to]!] : []),
      unlink: () => link([]),
      limit: async () => {
        if (tracker !== 'bug') return;
        await change(api.set('readers', { value: { is_used_by_default: true, granted_groups: [`${group!.id}`] } }));
      },
      delete: async () => {
        await api.deleted(id);
        ids[done.which] = await api.created([], { as: 'alice', tracker });
      },
      switch: async () => {
        if (!switched.delete(done.which)) switched.add(done.which);
        await applied();
      },
    };
    await ways[done.type]();
  }

  await applied();
  const value = api.set('effort', { value: 2 });
  while (ids.length < BUGS) ids.push(await api.created([value], { as: 'carol' }));
  ids.push(await api.created([], { as: 'alice', tracker: 'note' }));
  return { ids, carryOut };
}

/** Asks again where a busy machine shows a write late. */
export async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    await setTimeout(100);
  }
}
