/** The artifacts of the service as records of PocketBase: the same number gives the same values. */
import { FIRST_ID, PASSWORD, READER, TRACKERS, trackerName } from '../platform.js';
import { FIRST_TRACKER_SHARE, RARE_EVERY, RARE_WORD, sentence } from '../words.js';

const USERS = 40;
const ID_LENGTH = 15;

const STATUSES = ['New', 'In progress', 'In review', 'Fixed', 'Closed'];
const SEVERITIES = ['Minor', 'Major', 'Critical'];
const TEAMS = ['developers', 'testers'];
const SYSTEMS = ['Linux', 'Windows', 'macOS', 'BSD'];
const KEYWORDS = ['pump', 'valve', 'display', 'network', 'storage'];

export const recordId = (number: number): string => String(number).padStart(ID_LENGTH, '0');

/** Of the tracker whose pages are measured. */
export const FIRST_TRACKER = recordId(1);
export const READER_ID = recordId(1 + Number(READER.replace('user', '')));

/** Users and trackers first, then one artifact a line. */
export function* recordLines(artifacts: number): Generator<string> {
  const users = Array.from({ length: USERS }, (_, nth) => ({
    id: recordId(nth + 1),
    email: `user${nth}@example.org`,
    name: `User Number ${nth}`,
    password: PASSWORD,
  }));
  const trackers = Array.from({ length: TRACKERS }, (_, nth) => ({
    id: recordId(nth + 1),
    label: `Bugs ${trackerName(nth)}`,
  }));
  yield `${JSON.stringify({ users, trackers })}\n`;
  for (let id = FIRST_ID; id < FIRST_ID + artifacts; id += 1) yield `${JSON.stringify(record(id))}\n`;
}

const pick = (from: readonly string[], nth: number): string => from[nth % from.length] ?? '';
const user = (nth: number): string => recordId(2 + (nth % 30));
const stored = (date: number): string => new Date(date).toISOString().replace('T', ' ');

function record(id: number) {
  const inFirst = id % 2 === 0 && id <= FIRST_TRACKER_SHARE * 2 + 100;
  const at = stored(Date.UTC(2024, 0, 1) + id * 1000);
  return {
    id: recordId(id),
    tracker: recordId(1 + (inFirst ? 0 : 1 + (id % (TRACKERS - 1)))),
    title: id % RARE_EVERY === 0 ? `${sentence(id, 7)} ${RARE_WORD}` : sentence(id, 7),
    description: `**${sentence(id, 12)}**\n\n- ${sentence(id + 1, 20)}\n- ${sentence(id + 2, 20)}\n`,
    notes: sentence(id + 3, 15),
    environment: sentence(id + 4, 3),
    release: `${id % 7}.${id % 11}.${id % 5}`,
    status: pick(STATUSES, Math.floor(id / 3)),
    severity: pick(SEVERITIES, id),
    assigned_to: [user(id), user(id + 1)],
    team: pick(TEAMS, id),
    platforms: [pick(SYSTEMS, id), pick(SYSTEMS, id + 1)],
    keywords: [pick(KEYWORDS, id)],
    effort: (id % 40) / 4,
    cost: id % 1000,
    points: id % 13,
    votes: id % 101,
    due: stored(Date.UTC(2025, 0, 1 + (id % 365))),
    meeting: stored(Date.UTC(2025, 0, 1, 0, id % 100_000)),
    visible_to: [],
    number: id,
    submitted_on: at,
    submitted_by: user(id),
    updated_on: at,
    updated_by: user(id),
    links: id % 4 === 0 && id > 200 ? [recordId(id - 100)] : [],
  };
}
