/** Where clients send and get the bytes of files, outside /api. */
import { type IncomingMessage } from 'node:http';
import { pathAsMeant } from '../http/client/as-meant.js';

export const UPLOADS = '/uploads/tracker/file';
export const DOWNLOADS = '/plugins/tracker/attachments';

export const uploadHref = (id: number): string => `${UPLOADS}/${id}`;

export const downloadHref = (id: number, name: string): string => `${DOWNLOADS}/${id}-${encodeURIComponent(name)}`;

const ORIGIN = /^https?:\/\/[^/]*/i;

/** Whether the body of the request or of its answer may be a whole file. Routes match paths in any case. */
export function carriesFile({ url = '' }: Pick<IncomingMessage, 'url'>): boolean {
  const path = pathAsMeant(url.replace(ORIGIN, '')).toLowerCase();
  return path.startsWith(`${UPLOADS}/`) || path.startsWith(`${DOWNLOADS}/`);
}
