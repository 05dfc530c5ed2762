/** A connection string with these options, whatever others it has; they are named as in a query. */
export function withOptions(url: string, options: string): string {
  const [address = '', given] = url.split('?');
  const all = new URLSearchParams(given);
  // One that is there twice is refused.
  for (const [name, value] of new URLSearchParams(options)) all.set(name, value);
  return `${address}?${all.toString()}`;
}
