/** The text of safe HTML, as `htmlOf` makes it: there a `<` always begins a tag, and the next `>` ends it. */
import { decodeHTML } from 'entities';

/** Text without an ampersand is most of it, and takes no time. */
export const plainText = (html: string): string => decoded(html.replaceAll(/<[^<>]*>/g, ''));

const decoded = (text: string): string => (text.includes('&') ? decodeHTML(text) : text);
