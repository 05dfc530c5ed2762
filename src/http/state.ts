/** What the machinery knows about a request, typed where koa leaves it open. */
import { type Context } from 'koa';
import { type Access } from './route.js';
import { type Cursor } from './pages/cursors.js';

/** To be called before an answer is made of definitions alone: it holds until one of them changes. */
export function madeOf(ctx: Context, definitions: { readonly generation: string }): void {
  const { generation } = definitions;
  ctx.state.stillHolds = () => definitions.generation === generation;
}

declare module 'koa' {
  interface DefaultState {
    /** Given by the caller where sane, made here otherwise; every log line and event of the request carries it. */
    requestId: string;
    /** Of the client: that of the connection, or of a trusted proxy's header. */
    address: string;
    /** Scheme and host under which the client reached the service. */
    origin: string;
    /** Who asks, once that is known; null is anonymous. */
    userId?: number | null;
    /** What the route made the answer for. */
    reader?: { readonly viewer: object; readonly access: Access };
    /** Whether the same request of the same reader would be answered the same. Only a route that can tell sets it. */
    stillHolds?: (() => boolean | Promise<boolean>) | undefined;
    /** The header that leads to the next page of the list, where the route is one. */
    linkTo?: (limit: number, cursor: Cursor) => string;
    /** Aborts when the client leaves before it is answered. */
    gone?: AbortSignal;
    /** Makes a further part of an answer that has begun, and counts it meanwhile. */
    further?: <T>(make: () => Promise<T>) => Promise<T>;
    /** Why a request that should have been served was not; nothing secret. */
    failure?: string;
  }
}
