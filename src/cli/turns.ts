/** Commands on the platform take turns, over all processes: what is shown while one waits for its turn. */
import { type Service } from '../composition/service.js';
import { type Outlook } from './waiting.js';

const OTHERS_TURN = 'another process applies, plans or exports a platform file';

interface Turns {
  readonly withLease: Service['withLease'];
  /** Names the other process where no other obstacle is known. */
  readonly shown: (outlook: Outlook) => Outlook;
}

export function turnsIn(service: Pick<Service, 'withLease'>): Turns {
  let isWaiting = false;
  return {
    withLease: (name, work, ...more) => {
      isWaiting = true;
      const begun: typeof work = (lost) => {
        isWaiting = false;
        return work(lost);
      };
      return service.withLease(name, begun, ...more);
    },
    shown: (outlook) => (isWaiting && outlook.words === '' ? { ...outlook, words: OTHERS_TURN } : outlook),
  };
}
