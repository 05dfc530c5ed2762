import { isIPv6 } from 'node:net';

/** One spelling: IPv4 seen through an IPv6 socket is IPv4, brackets and ports of proxies are cut off. */
export function plainAddress(text: string): string {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIPv6(bare) ? (mappedIPv4(groupsOf(bare)) ?? bare.toLowerCase()) : bare.toLowerCase();
}

/** What one client has at its disposal: its IPv4 address, or the /64 in which it chooses its IPv6 address itself. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  return mappedIPv4(groups) ?? `${hexadecimal(groups.slice(0, 4))}::/64`;
}

const hexadecimal = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(':');

/** `::ffff:0:0/96`, however it is written. */
function mappedIPv4(groups: readonly number[]): string | null {
  if (hexadecimal(groups.slice(0, 6)) !== '0:0:0:0:0:ffff') return null;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}

/** The eight of an IPv6 address, without its zone. */
function groupsOf(address: string): readonly number[] {
  const [start = [], end = []] = address.replace(/%.*$/, '').split('::').map(partsOf);
  return [...start, ...Array.from({ length: 8 - start.length - end.length }, () => 0), ...end];
}

function partsOf(text: string): readonly number[] {
  return text
    .split(':')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [a, b, c, d] = part.split('.').map(Number);
      if (a === undefined || b === undefined || c === undefined || d === undefined) return Number.parseInt(part, 16);
      return [(a << 8) + b, (c << 8) + d];
    });
}
