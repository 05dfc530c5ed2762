/** Which requests a reading process answers itself: those that need the read models and the definitions alone. */
import { type IncomingMessage } from 'node:http';

/** Below the prefixes of the API. An id of another shape is refused by the main process. */
const PATHS = [
  String.raw`artifacts(?:/\d+(?:/links|/linked_artifacts)?)?`,
  String.raw`projects(?:/\d+(?:/trackers|/user_groups)?)?`,
  String.raw`tracker_fields/\d+/values`,
  String.raw`tracker_reports/\d+(?:/artifacts)?`,
  String.raw`trackers/\d+(?:/artifacts|/parent_artifacts|/tracker_reports|/used_artifact_links)?`,
  String.raw`user_groups/[\d_]+(?:/users)?`,
  String.raw`users(?:/self|/\d+)?`,
];
const PATH = new RegExp(`^/api(?:/v1)?/(?:${PATHS.join('|')})$`);

/**
 * Passwords and access keys are checked by the main process: it counts failures, and records uses. A body is read by the
 * main process.
 */
const ELSEWHERE = ['authorization', 'x-auth-accesskey', 'content-length', 'transfer-encoding', 'upgrade'] as const;

/** States of the past are read from the log. */
const OF_THE_PAST = ['revision', 'at'] as const;

export function isAnsweredHere({ method, url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>) {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const [path = ''] = url.split('?', 1);
  if (!PATH.test(path) || ELSEWHERE.some((name) => headers[name] !== undefined)) return false;
  // As routes read it: a further question mark belongs to it.
  const asked = new URLSearchParams(url.slice(path.length + 1));
  return !OF_THE_PAST.some((name) => asked.has(name));
}
