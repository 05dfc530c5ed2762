import { type Criterion, type Document, type ReadModel } from '../../core/read-models.js';
import { type ReverseLinks } from '../artifact-events.js';

/** One link to write (`type`) or to take away (null) at its source, under the command id that does it. */
export interface PendingLinkView extends Document {
  readonly id: string;
  readonly source: number;
  readonly target: number;
  readonly type: string | null;
  readonly actor: number | null;
  readonly at: string;
}

export const PENDING_LINKS = 'pending-links';

export const pendingLinksViews: ReadModel<PendingLinkView> = {
  name: PENDING_LINKS,
  entries: ({ target }) => [{ key: 'target', value: target, unordered: true }],
};

export const ordersAt = (target: number): readonly Criterion[] => [{ type: 'any-of', key: 'target', values: [target] }];

/** The command that one source receives on behalf of the command at the target. */
export const linkCommandId = (commandId: string, source: number): string => `${commandId}:${source}`;

export const isLinkCommandId = (commandId: string): boolean => commandId.includes(':');

/** What one source has to do. */
export type LinkOrder = Omit<PendingLinkView, 'at'>;

export function ordersOf(
  links: ReverseLinks | undefined,
  { commandId, target, actor }: { commandId: string; target: number; actor: number | null },
): readonly LinkOrder[] {
  if (links === undefined) return [];
  const changes = [...links.add, ...links.remove.map((source) => ({ source, type: null }))];
  return changes.map(({ source, type }) => ({ id: linkCommandId(commandId, source), source, target, type, actor }));
}
