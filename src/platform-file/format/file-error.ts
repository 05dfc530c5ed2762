/** Something wrong in a platform file: where, as a JSON pointer, and what. */
export interface Complaint {
  readonly pointer: string;
  readonly message: string;
}

export interface FileError extends Complaint {
  /** From 1. */
  readonly line: number;
}

/** Nothing was applied. The message has a line for each error. */
export class InvalidPlatformFile extends Error {
  override readonly name = 'InvalidPlatformFile';
  readonly errors: readonly FileError[];

  constructor(errors: readonly FileError[]) {
    const lines = errors.map(({ line, pointer, message }) => `line ${line}, ${pointer || '/'}: ${message}`);
    super(`The platform file is not valid:\n${lines.join('\n')}`);
    this.errors = errors;
  }
}
