/** Part of what a client could have: the bytes from `from` up to `to`, that one excluded. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** What a Range header asks of so many bytes (RFC 9110, 14); null: all of them, as also for several ranges at once. */
export function byteRange(header: string, size: number): ByteRange | 'unsatisfiable' | null {
  const suffix = /^\s*bytes\s*=\s*-\s*(\d+)\s*$/i.exec(header);
  if (suffix !== null) return satisfiable(Math.max(0, size - Number(suffix[1])), size, size);

  const [, first, last = ''] = /^\s*bytes\s*=\s*(\d+)\s*-\s*(?:(\d+)\s*)?$/i.exec(header) ?? [];
  const from = Number(first);
  const to = last === '' ? Infinity : Number(last) + 1;
  if (first === undefined || to <= from) return null;
  return satisfiable(from, Math.min(size, to), size);
}

function satisfiable(from: number, to: number, size: number): ByteRange | 'unsatisfiable' {
  return from < to && from < size ? { from, to } : 'unsatisfiable';
}
