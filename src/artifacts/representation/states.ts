/** The states of documents and definitions that answers are made of. */
import { type ReadModels } from '../../core/read-models.js';
import { type Definitions } from '../../definitions/definitions.js';

/** By which it is known whether any of these still holds. Once another state has been seen, none does: the latest is not asked for. */
export type StateFor = (made: readonly ({ readonly state: string } | undefined)[]) => Promise<string | undefined>;

export function statesOf(readModels: ReadModels, definitions: Definitions) {
  // One text for all that is made of it.
  let known = { state: '', generation: '', text: '' };
  const now = (): string | undefined => {
    const state = readModels.state();
    if (state === undefined) return undefined;
    const { generation } = definitions;
    if (state !== known.state || generation !== known.generation) {
      known = { state, generation, text: `${state} ${generation}` };
    }
    return known.text;
  };
  const stateFor: StateFor = async (made) => {
    const last = now();
    if (last === undefined || !made.some((one) => one?.state === last)) return last;
    if (readModels.refreshState !== undefined) await readModels.refreshState();
    return now();
  };
  /** Where other processes commit, only a look from now on tells whether the state lasted until now. */
  const ifLasting = (state: string, work: () => void): void => {
    if (readModels.refreshState === undefined) {
      work();
      return;
    }
    const look = async (): Promise<void> => {
      await readModels.refreshState?.();
      if (now() === state) work();
    };
    look().catch(() => undefined);
  };
  return { now, stateFor, ifLasting };
}
