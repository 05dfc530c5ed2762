/** The types that a link can have: built-in ones, and those of the platform. */
import { type LinkType } from './platform-events.js';
import { type Platform } from './platform.js';

export const CHILD_LINK = '_is_child';

const BUILT_IN: readonly LinkType[] = [
  { shortname: '', forwardLabel: '', reverseLabel: '' },
  { shortname: CHILD_LINK, forwardLabel: 'Child', reverseLabel: 'Parent' },
];

export const linkTypesOf = ({ linkTypes }: Pick<Platform, 'linkTypes'>): readonly LinkType[] => [
  ...BUILT_IN,
  ...linkTypes,
];
