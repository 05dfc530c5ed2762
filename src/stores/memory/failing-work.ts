import { NOTHING_FAILS, type FailingWorkRegister } from '../../core/recovery/failing-work.js';

export function memoryFailingWork(): FailingWorkRegister {
  let last = NOTHING_FAILS;
  return {
    publish: async (work) => {
      await Promise.resolve();
      last = work;
    },
    last: () => Promise.resolve(last),
  };
}
