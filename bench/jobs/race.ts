import { Agent, request } from 'node:http';

export interface RaceInput {
  readonly url: string;
  readonly field: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly clients: number;
  readonly seconds: number;
}

export interface RaceResult {
  readonly won: number;
  readonly lost: number;
  /** Wins of the client that won least. */
  readonly fewest: number;
  /** By how much the number that every winner raised by one has grown. */
  readonly raised: number;
  /** By how much the revision has grown. */
  readonly revisions: number;
}

interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly text: string;
}

/** Each client reads a number, and writes it back raised by one unless another client did in between. */
export async function race({ url, field, headers, clients, seconds }: RaceInput): Promise<RaceResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const ask = asking(url, agent, headers);
  const read = async () => {
    const { etag, text } = await ask('GET');
    const { values } = JSON.parse(text) as { values: { field_id: number; value: number | null }[] };
    return { etag, number: values.find(({ field_id: id }) => id === field)?.value ?? 0 };
  };
  const first = await read();
  const end = performance.now() + seconds * 1000;
  const wins = await Promise.all(
    Array.from({ length: clients }, async () => {
      let won = 0;
      let lost = 0;
      while (performance.now() < end) {
        const { etag, number } = await read();
        const body = JSON.stringify({ values: [{ field_id: field, value: number + 1 }] });
        const { status, text } = await ask('PUT', body, { 'If-Match': etag });
        if (status === 200) won += 1;
        else if (status === 412) lost += 1;
        else throw new Error(`PUT answered ${status}: ${text}`);
      }
      return { won, lost };
    }),
  );
  const last = await read();
  agent.destroy();
  return {
    won: wins.reduce((sum, { won }) => sum + won, 0),
    lost: wins.reduce((sum, { lost }) => sum + lost, 0),
    fewest: Math.min(...wins.map(({ won }) => won)),
    raised: last.number - first.number,
    revisions: revisionOf(last.etag) - revisionOf(first.etag),
  };
}

const revisionOf = (etag: string): number => Number(etag.replaceAll('"', ''));

function asking(url: string, agent: Agent, headers: Readonly<Record<string, string>>) {
  return (method: string, body?: string, others: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const outgoing = request(url, { method, agent, headers: { ...headers, ...type, ...others } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, etag: response.headers.etag ?? '', text });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
}
