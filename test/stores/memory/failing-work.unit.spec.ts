import { memoryFailingWork } from '../../../src/stores/memory/failing-work.js';
import { itKeepsTheFailingWorkContract } from '../contracts/failing-work.contract.js';

describe('failing work in memory', () => {
  itKeepsTheFailingWorkContract(() => {
    const register = memoryFailingWork();
    return Promise.resolve({ registers: [register, register], close: () => Promise.resolve() });
  });
});
