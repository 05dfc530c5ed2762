/** The items, or lists, as they are; counts how often their members are read. */
export function counted<T extends object>(
  items: readonly T[],
): {
  readonly items: readonly T[];
  readonly reads: () => number;
} {
  let reads = 0;
  const get = (item: T, member: string | symbol): unknown => {
    reads += 1;
    return Reflect.get(item, member);
  };
  return { items: items.map((item) => new Proxy(item, { get })), reads: () => reads };
}
