/** How what a file says of a member, and what exists, become what is desired. */

/** What a file says of a member that has a default. Undefined: nothing, so that it stays as it is. Null: the default. */
export type Named<T> = T | null | undefined;

/** The default holds for null, and where nothing is said of something new. */
export function desired<T>(named: Named<T>, present: T | undefined, byDefault: T): T {
  return named === undefined ? (present ?? byDefault) : (named ?? byDefault);
}

/** For members whose default is to be absent. */
export function desiredOrNone<T>(named: Named<T>, present: T | undefined): T | undefined {
  return named === undefined ? present : (named ?? undefined);
}

/** What a file says of a member of an object. An object that is null sets back each of its members. */
export function inside<T extends object, Member extends keyof T>(
  object: Named<T>,
  member: Member,
): T[Member] | null | undefined {
  return object === null ? null : object?.[member];
}

/** An item that a list leaves out stays where it is: behind the one that it stands behind now. */
export function withLeftOut<T extends { readonly id: number }>(
  listed: readonly T[],
  leftOut: readonly T[],
  present: readonly { readonly id: number }[],
): readonly T[] {
  const known = new Set(present.map(({ id }) => id));
  const staying = new Map(leftOut.map((item) => [item.id, item]));
  const behind = new Map<number, T[]>(listed.map(({ id }) => [id, []]));
  const inFront: T[] = [];
  let place = inFront;
  for (const { id } of present) {
    place = behind.get(id) ?? place;
    const item = staying.get(id);
    if (item !== undefined) place.push(item);
  }
  const first = listed.findIndex(({ id }) => known.has(id));
  const start = first === -1 ? listed.length : first;
  const withThoseBehind = (item: T): readonly T[] => {
    const items = [item, ...(behind.get(item.id) ?? [])];
    // An item that is listed twice has been complained about.
    behind.delete(item.id);
    return items;
  };
  return [...listed.slice(0, start), ...inFront, ...listed.slice(start).flatMap(withThoseBehind)];
}
