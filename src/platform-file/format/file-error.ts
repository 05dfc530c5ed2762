/** Something wrong in a platform file: where, as a JSON pointer, and what. */
export interface Complaint {
  readonly pointer: string;
  readonly message: string;
}

export interface FileError extends Complaint {
  /** From 1. */
  readonly line: number;
}

/** Of a complaint, which may quote the file. */
const MAX_CHARS = 8000;
export const cut = (text: string): string => (text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text);

/** Nothing was applied. The message has a line for each error. */
export class InvalidPlatformFile extends Error {
  override readonly name = 'InvalidPlatformFile';
  readonly errors: readonly FileError[];

  constructor(errors: readonly FileError[]) {
    const lines = errors.map(({ line, pointer, message }) => `line ${line}, ${cut(pointer) || '/'}: ${cut(message)}`);
    super(`The platform file is not valid:\n${lines.join('\n')}`);
    this.errors = errors;
  }
}
