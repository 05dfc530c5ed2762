import { type READER } from '../platform.js';
import { type ADMIN, type OUTSIDER, type SIGNED_OUT } from './platform.js';
import { type Scene } from './scene.js';

export interface Asked {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS';
  /** Below the prefix, or below the root. */
  readonly path: string;
  readonly isBare?: true;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text goes out as it is, all else as JSON. */
  readonly body?: unknown;
}

/** One of the worst requests that a client may send. */
export interface Kind {
  readonly name: string;
  /** Who asks; anonymous without. */
  readonly as?: typeof READER | typeof ADMIN | typeof OUTSIDER | typeof SIGNED_OUT;
  /** `nth`: of the rounds. `headers`: the credentials. */
  readonly request: (scene: Scene, nth: number, headers: Readonly<Record<string, string>>) => Asked;
}

/** The bytes that a JSON body may have. */
export const BODY_BYTES = 1_048_576;

/** In a list, and in a body, which holds few values more. */
export const ITEMS = 1000;
export const MOST = 19_000;

export const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** The text again and again, to so many bytes at most. */
export const filled = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));

/** A query string. */
export const query = (parameters: Readonly<Record<string, string>>): string =>
  new URLSearchParams(parameters).toString();
