/** The palette of the clients: they show no other color. */
export const COLORS: readonly string[] = [
  ...['inca-silver', 'chrome-silver', 'firemist-silver', 'red-wine', 'fiesta-red', 'coral-pink'],
  ...['teddy-brown', 'clockwork-orange', 'graffiti-yellow', 'army-green', 'neon-green', 'acid-green'],
  ...['sherwood-green', 'ocean-turquoise', 'surf-green', 'deep-blue', 'lake-placid-blue', 'daphne-blue'],
  ...['plum-crazy', 'ultra-violet', 'lilac-purple', 'panther-pink', 'peggy-pink', 'flamingo-pink'],
];

/** Undefined for a color of the palette, and for the one that an older file has set. */
export function colorFault(color: string | null | undefined, present: string | undefined): string | undefined {
  if (color === undefined || color === null || color === present || COLORS.includes(color)) return undefined;
  return `${JSON.stringify(color)} is no color; use one of ${COLORS.join(', ')}`;
}
