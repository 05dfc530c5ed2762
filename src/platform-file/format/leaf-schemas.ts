/** The pieces that the descriptions of members share. */
import { COLORS } from './colors.js';

export const label = {
  type: 'string',
  maxLength: 255,
  pattern: '\\S',
  $comment: 'at least one character that is no space',
} as const;

/** `words` say what the pattern allows. */
export const named = (pattern: string, maxLength: number, words: string) =>
  ({ type: 'string', pattern, maxLength, $comment: words }) as const;

/** Here and below, null sets a member back to its default. */
export const flagOrNull = (byDefault: boolean) => ({ type: ['boolean', 'null'], default: byDefault }) as const;
export const textOrNull = (byDefault: string | null) =>
  ({ type: ['string', 'null'], maxLength: 65_535, default: byDefault }) as const;
export const colorOrNull = (byDefault: string) =>
  // Beyond the palette the one that is set already may stay, which the plan sees and the schema does not.
  ({ type: ['string', 'null'], maxLength: 40, examples: COLORS, default: byDefault }) as const;

export const groups = {
  description: 'Groups: all_users, registered_users, project_members, project_admins or a short name of user_groups.',
  type: 'array',
  items: { type: 'string' },
  uniqueItems: true,
} as const;

export const groupsOrNull = (byDefault: readonly string[] | null) =>
  ({ ...groups, type: ['array', 'null'], default: byDefault }) as const;

export const names = (description: string) =>
  ({ description, type: ['array', 'null'], items: { type: 'string' }, uniqueItems: true, default: [] }) as const;
