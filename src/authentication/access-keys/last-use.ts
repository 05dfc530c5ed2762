/** Records when a key was last used, behind the back of the request that uses it: it neither waits nor fails for that. */
import { LRUCache } from 'lru-cache';
import { atMost } from '../../core/bounds.js';
import { type Logger } from 'pino';
import { type Clock } from '../../core/clock.js';
import { type EventLog } from '../../core/event-log.js';
import { isUseWorthRecording } from '../../users/access-key.js';
import { handleUser } from '../../users/commands.js';
import { type AccessKeyVerifierOptions } from './verify-access-key.js';

export interface LastUseOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Between two tries for one key, while the first is under way or the log cannot take it. */
const TRY_EVERY_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export function lastUse({ log, clock, logger }: LastUseOptions): AccessKeyVerifierOptions['used'] {
  const tried = new LRUCache<number, number>(atMost(MAX_REMEMBERED));

  return ({ id: userId }, key) => {
    const now = clock();
    const at = now.toISOString();
    const isTried = Math.abs(now.getTime() - (tried.get(key.id) ?? -Infinity)) < TRY_EVERY_MS;
    if (isTried || !isUseWorthRecording(key, at)) return;
    tried.set(key.id, now.getTime());
    const command = { type: 'RecordAccessKeyUse', userId, accessKeyId: key.id, at } as const;
    handleUser(userId, command, log, { actor: userId, at }).catch((error: unknown) => {
      logger.warn({ err: error, accessKeyId: key.id }, 'last use of access key not recorded');
    });
  };
}
