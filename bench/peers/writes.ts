/** The same writes to both. */
import { type Side } from '../compare.js';
import { FIRST_ID } from '../platform.js';
import { postOf } from '../rows/writes.js';
import { type Stage } from '../stage.js';
import { sentence } from '../words.js';
import { ARTIFACT, bytesOf, type Comparison, numbers, RECORDS, recordsOf, type Sides, STATUS } from './comparisons.js';
import { FIRST_TRACKER, READER_ID, recordId } from './records.js';

const CLIENTS = [1, 32, 64];

export async function posts(stage: Stage, { service, peer }: Sides): Promise<readonly Comparison[]> {
  const own = await postOf(stage, 1, service);
  const body = JSON.stringify({
    tracker: FIRST_TRACKER,
    title: sentence(1, 7),
    description: sentence(2, 60),
    status: STATUS,
    points: 5,
    effort: 2.5,
    due: '2025-03-05 00:00:00.000Z',
    release: '1.2.3',
    links: [recordId(ARTIFACT)],
    submitted_by: READER_ID,
    updated_by: READER_ID,
  });
  const headers = { ...peer.headers, 'Content-Type': 'application/json' };
  const theirs = { url: `${peer.url}${RECORDS}`, method: 'POST', headers, body } as const;
  const answers = [await textOf(String(own.url), own), await textOf(theirs.url, theirs)] as const;
  return CLIENTS.map((connections) => ({
    what: `an artifact, ${connections} ${connections === 1 ? 'client' : 'clients'}`,
    service: { ...own, connections },
    peer: { ...theirs, connections },
    bytes: bytesOf(...answers),
  }));
}

async function textOf(url: string, { method = 'GET', headers = {}, body = '' }: Partial<Side['load']>) {
  const answer = await fetch(url, { method, headers, body });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer.text();
}

const CHANGED = 2000;

/** The even ones. The numbers of its fields are known. */
function inFirstTracker({ seeded: { inTracker } }: Stage): readonly string[] {
  const count = Math.min(CHANGED, inTracker);
  const step = 2 * Math.floor(inTracker / count);
  return numbers(count).map((nth) => `/api/artifacts/${FIRST_ID + 1 + nth * step}`);
}

const COUNTED = '"number"';
const WRITERS = [1, 32];

export function puts(stage: Stage, { service, peer }: Sides): Promise<readonly Comparison[]> {
  const paths = inFirstTracker(stage);
  const json = { 'Content-Type': 'application/json' };
  const values = [{ field_id: stage.seeded.fields['votes'], value: 'number' }];
  const comparisons = WRITERS.map((connections) => ({
    what: `a number of different artifacts, ${connections} ${connections === 1 ? 'client' : 'clients'}`,
    service: {
      url: service.url,
      method: 'PUT' as const,
      connections,
      headers: { ...service.headers, ...json },
      body: JSON.stringify({ values }),
      counted: COUNTED,
      paths,
    },
    peer: {
      url: peer.url,
      method: 'PATCH' as const,
      connections,
      headers: { ...peer.headers, ...json },
      body: JSON.stringify({ votes: 'number' }),
      counted: COUNTED,
      paths: recordsOf(paths),
    },
    bytes: [],
  }));
  return Promise.resolve(comparisons);
}
