/** Where clients send and get the bytes of files, outside /api. */
import { type IncomingMessage } from 'node:http';

export const UPLOADS = '/uploads/tracker/file';
export const DOWNLOADS = '/plugins/tracker/attachments';

export const uploadHref = (id: number): string => `${UPLOADS}/${id}`;

export const downloadHref = (id: number, name: string): string => `${DOWNLOADS}/${id}-${encodeURIComponent(name)}`;

/** Whether the body of the request or of its answer may be a whole file. */
export const carriesFile = ({ url = '' }: Pick<IncomingMessage, 'url'>): boolean =>
  url.startsWith(`${UPLOADS}/`) || url.startsWith(`${DOWNLOADS}/`);
