import { type ArtifactView } from '../artifact-view.js';
import { type Reading, type Related } from './load-related.js';

/** JSON texts in lists, made while they are taken. */
export type Texts = AsyncGenerator<readonly string[], void, void>;

/** Of what there is one of. */
export async function onlyText(lists: Texts): Promise<string> {
  let text = '';
  for await (const texts of lists) text += texts.join('');
  return text;
}

/** In characters. */
const END_SHOWN = 250;

/** About how many characters the ends of an artifact's links take where they are shown. */
export const endsShown =
  (related: Related, { viewer }: Pick<Reading, 'viewer'>) =>
  (artifact: ArtifactView): number =>
    END_SHOWN * (viewer.linksOf(artifact).length + related.reverseLinks(artifact.id).length);
