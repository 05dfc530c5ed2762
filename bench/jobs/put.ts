import { quantile } from '../statistics.js';

export interface PutInput {
  /** Of artifacts, written to in turn. */
  readonly urls: readonly string[];
  /** Of a number. */
  readonly field: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
}

/** Milliseconds, of one artifact. */
export interface PutResult {
  readonly first: number;
  /** Of all after the first. */
  readonly p50: number;
  readonly requests: number;
}

export async function put({ urls, field, headers, seconds }: PutInput): Promise<readonly PutResult[]> {
  const times = urls.map((): number[] => []);
  const end = performance.now() + seconds * 1000;
  for (let number = 1; performance.now() < end; number += 1) {
    for (const [index, url] of urls.entries()) {
      const began = performance.now();
      const body = JSON.stringify({ values: [{ field_id: field, value: -number }] });
      const answer = await fetch(url, {
        method: 'PUT',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body,
      });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`PUT answered ${answer.status}: ${text}`);
      times[index]?.push(performance.now() - began);
    }
  }
  return times.map(([first = Number.NaN, ...others]) => ({
    first,
    p50: quantile(others, 0.5),
    requests: 1 + others.length,
  }));
}
