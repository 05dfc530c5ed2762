/** Whether a client that sent this Accept takes JSON. Parameters other than q are no reason to refuse. */
export function acceptsJson(accept: string): boolean {
  if (accept.trim() === '') return true;
  let closest = 0;
  let quality = 0;
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const closeness = CLOSENESS.get(type);
    if (closeness === undefined || closeness < closest) continue;
    quality = closeness > closest ? qualityOf(parameters) : Math.max(quality, qualityOf(parameters));
    closest = closeness;
  }
  return quality > 0;
}

const CLOSENESS: ReadonlyMap<string, number> = new Map([
  ['*/*', 1],
  ['application/*', 2],
  ['application/json', 3],
]);

function qualityOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  return given === undefined ? 1 : Number(given.slice(2)) || 0;
}
