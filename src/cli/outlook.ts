/** What a command shows of projections: messages while it waits for them, and its exit status. */
import { type ProjectionStatus } from '../../projections/engine/projection-status.js';
import { type Service } from '../composition/service.js';
import { type Outlook } from './waiting.js';

export type Statuses = readonly ProjectionStatus[];

/** What a service may still do for a command that has ended before it was answered. */
export const AFTERWARDS: Readonly<Record<string, string>> = {
  apply: 'The service may complete the change that is under way, and begins no other: apply the file again',
  rebuild: 'A rebuild that has begun goes on',
};

/** One that goes on, however slowly, is waited for; one that does not is what the others cannot make good. */
export async function readiness(service: Service): Promise<Outlook> {
  const statuses = await service.projections.status();
  const held = service.unhealthy().filter(({ state }) => state !== 'stopped');
  const late = statuses.filter(({ projection }) => held.some((one) => one.projection === projection));
  const signs = late.map(({ projection, served, rebuild }) => JSON.stringify([projection, served?.position, rebuild]));
  return { words: obstacles(service, statuses), signs: signs.length > 0 ? signs : signsOf('ready', statuses, 0) };
}

/** `reported`: how often the command itself has told how far it is. */
export async function progressOf(service: Service, command: string, reported: number): Promise<Outlook> {
  const statuses = await service.projections.status();
  return { words: obstacles(service, statuses), ...movement(command, statuses, reported) };
}

/** A rebuild shows its progress. What the other commands report is a sign of life alone. */
export function movement(command: string, statuses: Statuses, reported: number): Omit<Outlook, 'words'> {
  return { signs: signsOf(command, statuses, reported), isShown: command === 'rebuild' && reported > 0 };
}

/** A rebuild does not come nearer to its end by what others append. */
function signsOf(command: string, statuses: Statuses, reported: number): readonly string[] {
  const moving = statuses.map(({ state, served, rebuild }) =>
    command === 'rebuild'
      ? [state, served?.generation, rebuild]
      : [state, served?.generation, served?.position, rebuild],
  );
  return [JSON.stringify([moving, reported])];
}

function obstacles({ unhealthy }: Service, statuses: Statuses): string {
  const held = unhealthy().map(({ projection, reason }) => `${projection}: ${reason}`);
  return held.length > 0 ? held.join('; ') : inWords(statuses);
}

export function inWords(statuses: Statuses): string {
  return statuses
    .flatMap(({ projection, state, stop, trouble, rebuild }) => {
      const filled = rebuild === null ? [] : [`${projection} is being filled, ${Math.floor(100 * rebuild.share)} %`];
      const why = stop?.reason ?? trouble ?? (state === 'filling' ? 'nothing is served yet' : null);
      return why === null ? filled : [...filled, `${projection}: ${why}`];
    })
    .join('; ');
}

const STANDING_STILL = 2;

/** A projection follows the log neither once it has stopped, nor while no process runs it. */
export const exitStatusOf = (statuses: Statuses): number =>
  statuses.some(({ stop, isUnattended }) => stop !== null || isUnattended === true) ? STANDING_STILL : 0;
