import { type InterruptedWork } from '../../src/core/recovery/interrupted-work.js';

/** Resumes all that has been left undone since before an instant. Resolves to how many items had something left to do. */
export async function resumed(work: InterruptedWork, before: Date): Promise<number> {
  let count = 0;
  for (const item of await work.find(before)) if (await item.resume()) count += 1;
  return count;
}
