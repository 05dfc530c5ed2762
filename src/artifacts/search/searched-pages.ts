/** Pages of the artifacts of a tracker as JSON, given again as long as nothing has changed. */
import { jsonList } from '../../http/send-json.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type ArtifactView } from '../artifact-view.js';
import { type ArtifactPorts } from '../ports.js';
import { artifactsOf, type ArtifactPage, type ArtifactSearch } from '../queries.js';
import { artifactJson } from '../representation/artifact-json-cache.js';
import { artifactTexts, beginPage, withoutLong } from '../representation/artifact-pages.js';
import { lastingInTracker } from '../representation/ingredients.js';
import { flatTexts, type FlatFormat } from '../representation/flat-representation.js';
import { type Texts } from '../representation/in-slices.js';
import { type Representing } from '../representation/reading.js';
import { responseCache, type Answer } from '../representation/answers/response-cache.js';

/** What goes into the headers. */
type Facts = Pick<ArtifactPage, 'total' | 'last'>;

/** `all` as whole artifacts, or as rows of a format. */
export type Values = '' | 'all' | FlatFormat;

export type SearchedPages = (
  /** Asked for each try. Throws if the reader may not search in it any more. */
  tracker: () => CompiledTracker,
  search: ArtifactSearch,
  values: Values,
  reading: Representing,
) => Promise<Answer<Facts>>;

export function searchedPages(ports: ArtifactPorts): SearchedPages {
  const remembered = responseCache<Facts>('page', ports);
  return async (tracker, search, values, reading) => {
    const answer = await remembered(JSON.stringify([tracker().id, values, search]), reading, async () => {
      const { facts, begun } = await beginPage(async () => {
        const found = await artifactsOf(tracker(), search, reading);
        const page = values === '' ? found : withoutLong(found);
        return { facts: { total: page.total, last: page.last }, texts: jsonList(textsOf(page, values, reading)) };
      });
      const isOfTrackerAlone = values === '' && search.expert === undefined;
      return { ...begun, facts, ...(isOfTrackerAlone && (await lastingInTracker(tracker(), reading))) };
    });
    const isOfThisMinute = search.expert !== undefined && asksForNow(search.expert.text);
    return isOfThisMinute ? { ...answer, stillHolds: undefined } : answer;
  };
}

function textsOf(page: ArtifactPage, values: Values, reading: Representing): Texts {
  const json = (shown: 'collection' | 'none') => (artifacts: readonly ArtifactView[]) =>
    artifactJson(artifacts, reading, { values: shown });
  const { readModels, viewer } = reading;
  if (values === '') return artifactTexts(page, { readModels, viewer }, json('none'));
  return values === 'all' ? artifactTexts(page, reading, json('collection')) : flatTexts(page, reading, values);
}

/** True for a quoted "now", too: the answer of such a query is only kept for a shorter time. */
const asksForNow = (text: string): boolean => /now/i.test(text);

const MINUTE_MS = 60_000;

/** `NOW()` counts in minutes: within one of them the same question has the same answer. Other queries have no time. */
export function expertAt(text: string, now: Date): ArtifactSearch['expert'] {
  const minute = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
  return { text, now: new Date(asksForNow(text) ? minute : 0) };
}
