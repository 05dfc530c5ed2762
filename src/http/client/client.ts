/** Who is at the other end, and by which name they called us: the connection's word, or a trusted proxy's. */
import { type IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import { type Context, type Middleware } from 'koa';
import { type Logger } from 'pino';
import { invalidIn } from '../../core/problem.js';
import { plainAddress } from './ip-address.js';
import { toldAddress } from './told-address.js';
import '../state.js';

export interface ClientOptions {
  /** Addresses and networks (CIDR) of the proxies that may speak for their clients. */
  readonly trustedProxies: readonly string[];
  /** Scheme and host of the service as clients see it; overrides the headers of requests. */
  readonly publicUrl: string | undefined;
}

const HOST = /^[A-Za-z0-9._~-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

export function client({ trustedProxies, publicUrl }: ClientOptions, logger: Pick<Logger, 'warn'>): Middleware {
  let hasWarned = false;
  const warnOnce = (address: string): void => {
    if (!hasWarned) logger.warn({ address }, UNBELIEVED);
    hasWarned = true;
  };
  const isTrusted = proxyMatcher(trustedProxies);
  const peers = new WeakMap<Socket, Peer>();
  const peerOf = (request: IncomingMessage): Peer => {
    const told = toldAddress(request);
    if (told !== undefined) return peerAt(told, isTrusted);
    const { socket } = request;
    const known = peers.get(socket) ?? peerAt(socket.remoteAddress ?? '', isTrusted);
    peers.set(socket, known);
    return known;
  };
  return (ctx, next) => {
    const { address: peer, speaksFor } = peerOf(ctx.req);
    if (!speaksFor && ctx.get('X-Forwarded-For') !== '') warnOnce(peer);
    ctx.state.address = speaksFor ? clientAddress(peer, ctx.get('X-Forwarded-For'), isTrusted) : peer;
    ctx.state.origin = publicUrl ?? origin(ctx, speaksFor);
    return next();
  };
}

/** Wrong passwords of one client would otherwise keep all clients of the proxy from signing in, and nobody would know why. */
const UNBELIEVED =
  'X-Forwarded-For is not believed, because TRUSTED_PROXIES does not name its sender: if that is a proxy, all its clients count as one';

/** The same for all requests on a connection. */
interface Peer {
  readonly address: string;
  readonly speaksFor: boolean;
}

function peerAt(remoteAddress: string, isTrusted: (address: string) => boolean): Peer {
  const address = plainAddress(remoteAddress);
  return { address, speaksFor: isTrusted(address) };
}

/** Throws a RangeError that names what is neither an address nor a network. */
export function proxyMatcher(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) addNetwork(list, proxy);
  if (proxies.length === 0) return () => false;
  return (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function addNetwork(list: BlockList, proxy: string): void {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(proxy) ?? [];
  const widest = WIDEST.get(isIP(address)) ?? -1;
  const prefix = Number(bits ?? widest);
  if (prefix < 0 || prefix > widest) throw new RangeError(`${proxy} is neither an address nor a network`);
  list.addSubnet(address, prefix, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Bits of an address, by family. */
const WIDEST: ReadonlyMap<number, number> = new Map([
  [4, 32],
  [6, 128],
]);

/** From right to left, each entry is a proxy's caller. The first caller that is not trusted is the client. */
function clientAddress(peer: string, forwardedFor: string, isTrusted: (address: string) => boolean): string {
  let address = peer;
  for (const entry of forwardedFor.split(',').reverse()) {
    const caller = plainAddress(entry.trim());
    if (isIP(caller) === 0) break;
    address = caller;
    if (!isTrusted(caller)) break;
  }
  return address;
}

function origin(ctx: Context, speaksFor: boolean): string {
  const forwarded = (name: string): string | undefined =>
    speaksFor ? ctx.get(name).split(',')[0]?.trim() || undefined : undefined;
  const scheme = forwarded('X-Forwarded-Proto')?.toLowerCase() === 'https' ? 'https' : 'http';
  const host = forwarded('X-Forwarded-Host') ?? hostOf(ctx);
  if (host === '' && ctx.req.httpVersion === '1.0') return `http://localhost:${ctx.req.socket.localPort ?? 80}`;
  if (!HOST.test(host)) throw invalidIn('Host', 'the Host header does not name one host');
  return `${scheme}://${host}`;
}

/** Of several, Node takes the first, and a proxy may take another. Names and values of raw headers are in turn. */
function hostOf(ctx: Context): string {
  const isHost = (name: string, index: number): boolean => index % 2 === 0 && /^host$/i.test(name);
  return ctx.req.rawHeaders.filter(isHost).length > 1 ? 'several hosts' : ctx.get('Host');
}
