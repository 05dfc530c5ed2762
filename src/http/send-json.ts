import { type Context } from 'koa';
import { JSON_TYPE } from './problems.js';

/** Answers with text that is JSON already. */
export function sendJson(ctx: Context, text: string): void {
  ctx.set('Content-Type', JSON_TYPE);
  ctx.body = text;
}
