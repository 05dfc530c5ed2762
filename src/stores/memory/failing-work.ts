import { NOTHING_FAILS, type FailingWorkRegister } from '../../core/recovery/failing-work.js';

export function memoryFailingWork(): FailingWorkRegister {
  let last = NOTHING_FAILS;
  return {
    tell: async (work) => {
      await Promise.resolve();
      last = work;
    },
    told: () => Promise.resolve(last),
  };
}
