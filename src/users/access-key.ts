/** The rules of a user's access keys. They live in the user's stream; `users` folds them with the rest of it. */
import { MAX_ACCESS_KEYS } from '../core/bounds.js';
import { type Event } from '../core/event-log.js';
import { Problem } from '../core/problem.js';
import { type AccessKeyEvent, type NewAccessKey } from './access-key-events.js';

export type AccessKeyCommand =
  | (NewAccessKey & { readonly type: 'CreateAccessKey' })
  | { readonly type: 'RevokeAccessKey'; readonly userId: number; readonly accessKeyId: number }
  | {
      readonly type: 'RecordAccessKeyUse';
      readonly userId: number;
      readonly accessKeyId: number;
      readonly at: string;
    };

export interface AccessKey {
  readonly id: number;
  readonly secretHash: string;
  readonly description: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Of all that is asked of a user, what is about a key. */
export const isForAccessKey = (command: object): command is AccessKeyCommand => 'accessKeyId' in command;

export const isOfAccessKey = (event: Event): event is AccessKeyEvent => 'accessKeyId' in event.data;

export function decideAccessKey(command: AccessKeyCommand, keys: readonly AccessKey[]): readonly AccessKeyEvent[] {
  const { userId, accessKeyId } = command;
  const key = keys.find(({ id }) => id === accessKeyId);
  switch (command.type) {
    case 'CreateAccessKey':
      return key === undefined ? create(command, keys.length) : [];
    case 'RevokeAccessKey':
      return key === undefined ? [] : [{ type: 'AccessKeyRevoked', data: { userId, accessKeyId } }];
    case 'RecordAccessKeyUse': {
      const { at } = command;
      const isNews = key !== undefined && isUseWorthRecording(key, at);
      return isNews ? [{ type: 'AccessKeyUsed', data: { userId, accessKeyId, at } }] : [];
    }
  }
}

function create(
  { userId, accessKeyId, secretHash, description, expiresAt, at }: NewAccessKey,
  present: number,
): readonly AccessKeyEvent[] {
  if (present >= MAX_ACCESS_KEYS) {
    throw new Problem('conflict', `A user has at most ${MAX_ACCESS_KEYS} access keys: revoke one first`);
  }
  const data = { userId, accessKeyId, secretHash, description, expiresAt, at };
  return [{ type: 'AccessKeyCreated', data }];
}

/** At most once a day: a log that holds every use of a script would hold little else. Also after a clock that was ahead. */
export function isUseWorthRecording({ lastUsedAt }: AccessKey, at: string): boolean {
  return lastUsedAt === null || Math.abs(Date.parse(at) - Date.parse(lastUsedAt)) >= DAY_MS;
}

export function evolveAccessKeys(keys: readonly AccessKey[], { type, data }: AccessKeyEvent): readonly AccessKey[] {
  switch (type) {
    case 'AccessKeyCreated': {
      const { accessKeyId: id, secretHash, description, at: createdAt, expiresAt } = data;
      return [...keys, { id, secretHash, description, createdAt, expiresAt, lastUsedAt: null }];
    }
    case 'AccessKeyRevoked':
      return keys.filter(({ id }) => id !== data.accessKeyId);
    case 'AccessKeyUsed':
      return keys.map((key) => (key.id === data.accessKeyId ? { ...key, lastUsedAt: data.at } : key));
  }
}
