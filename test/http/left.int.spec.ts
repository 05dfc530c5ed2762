import { expect } from 'chai';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Problem } from '../../src/core/problem.js';
import { goneOf } from '../../src/http/gone.js';
import { toyRoute as route } from './toy-route.js';
import { eventually } from '../e2e/servers/eventually.js';
import { toyApp } from './toy-app.js';

/** Each of them begins in a turn of its own. */
const CROWD = 10;

/** Fails once its client has left. */
const leftRoute = (arrived: () => void) =>
  route({
    method: 'GET',
    path: '/left',
    access: 'public',
    summary: 'Waits.',
    async handle({ ctx }) {
      arrived();
      await once(ctx.res, 'close');
      throw new Problem('unavailable', 'the client has left');
    },
  });

/** Tells which signals its clients were given. */
const watchedRoute = (signals: AbortSignal[]) =>
  route({
    method: 'GET',
    path: '/watched',
    access: 'public',
    summary: 'Answers.',
    async handle({ ctx }) {
      signals.push(goneOf(ctx));
      ctx.body = {};
      await Promise.resolve();
    },
  });

describe('A client that has left', () => {
  it('is logged as no failure of the service', async () => {
    const leaving = new AbortController();
    const leave = (): void => {
      leaving.abort();
    };
    const toy = await toyApp({ routes: () => [leftRoute(leave)] });
    try {
      await fetch(`${toy.url}/api/left`, { signal: leaving.signal }).catch(() => undefined);
      await eventually('a line of the log', () => toy.lines().length > 0);
      expect(toy.lines()).to.have.length(1);
      expect(toy.lines()[0]).to.include({ level: 30, msg: 'request', path: '/api/left', status: 503 });
    } finally {
      await toy.close();
    }
  });

  it('is known to have left also if it did so before that was asked', async () => {
    const leaving = new AbortController();
    const signals: AbortSignal[] = [];
    const late = route({
      method: 'GET',
      path: '/late',
      access: 'public',
      summary: 'Waits.',
      async handle({ ctx }) {
        leaving.abort();
        await once(ctx.res, 'close');
        signals.push(goneOf(ctx));
      },
    });
    const toy = await toyApp({ routes: () => [late] });
    try {
      await fetch(`${toy.url}/api/late`, { signal: leaving.signal }).catch(() => undefined);
      await eventually('the end of the request', () => signals.length > 0);
    } finally {
      await toy.close();
    }
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true]);
  });

  it('has nothing begun for it that had to wait for the requests of others', async () => {
    let begun = 0;
    const sockets: Socket[] = [];
    const busy = route({
      method: 'GET',
      path: '/busy',
      access: 'public',
      summary: 'Takes a turn of the event loop.',
      handle({ ctx }) {
        if (begun === 0) sockets.at(-1)?.destroy();
        begun += 1;
        const end = performance.now() + 6;
        while (performance.now() < end);
        ctx.body = {};
      },
    });
    const toy = await toyApp({ routes: () => [busy] });
    try {
      const { hostname, port } = new URL(toy.url);
      for (let nth = 0; nth < CROWD; nth += 1) sockets.push(connect(Number(port), hostname));
      const ask = (path: string): void => {
        for (const socket of sockets) socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      };
      // Only then are all of them accepted, and their requests come at the same time.
      const answered = sockets.map((socket) => once(socket, 'data'));
      ask('/api/nowhere');
      await Promise.all(answered);
      ask('/api/busy');
      const statuses = () => toy.lines().flatMap(({ path, status }) => (path === '/api/busy' ? [status] : []));
      await eventually('a line of the log for each request', () => statuses().length === CROWD);
      expect(begun).to.equal(CROWD - 1);
      expect(statuses()).to.have.members([...Array<number>(CROWD - 1).fill(200), 503]);
    } finally {
      for (const socket of sockets) socket.destroy();
      await toy.close();
    }
  });

  it('is none that has got its answer', async () => {
    const signals: AbortSignal[] = [];
    const toy = await toyApp({ routes: () => [watchedRoute(signals)] });
    try {
      for (let time = 0; time < 2; time += 1) await (await fetch(`${toy.url}/api/watched`)).json();
    } finally {
      await toy.close();
    }
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([false, false]);
  });
});
