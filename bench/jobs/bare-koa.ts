/** What the service is compared with: Koa and its router, answering the same bytes from memory. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Router } from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';

export interface BareInput {
  /** By path, which is matched exactly. */
  readonly answers: Readonly<Record<string, string>>;
  /** What every POST answers. */
  readonly posted: string;
}

export async function bareKoa({ answers, posted }: BareInput, say: (port: number) => void): Promise<void> {
  const app = new Koa();
  const router = new Router();
  const send =
    (body: string, status: number) =>
    (ctx: Koa.Context): void => {
      ctx.status = status;
      ctx.set('Content-Type', 'application/json; charset=utf-8');
      ctx.body = body;
    };
  for (const [path, body] of Object.entries(answers)) router.get(path, send(body, 200));
  router.post('/posted', send(posted, 201));
  app.use(bodyParser());
  app.use(router.routes());
  const callback = app.callback();
  const server = createServer((request, response) => void callback(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  say((server.address() as AddressInfo).port);
  await once(server, 'close');
}
