/** What people call a file and its type, made safe for headers. */

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:\\s*;\\s*${TOKEN}=(?:${TOKEN}|"[\\w !#-\\[\\]-~]*"))*$`);

const BINARY = 'application/octet-stream';

export const contentType = (mediaType: string): string => (MEDIA_TYPE.test(mediaType) ? mediaType : BINARY);

/** Never shown inside a page: a client that uploads HTML shall not get it to run here (RFC 6266, names as in RFC 8187). */
export function attachmentDisposition(name: string): string {
  const flat = name.replaceAll(/[/\\]/g, '_');
  const plain = flat.replaceAll(/[^\x20-\x7e]|["%]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded(flat)}`;
}

/** encodeURIComponent leaves some characters that RFC 8187 does not take. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
