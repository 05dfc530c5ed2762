import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { askService, NoService } from '../../src/operations/control-client.js';
import { controlPath, type ControlCommands } from '../../src/operations/control-protocol.js';
import { controlServer, type ControlServer } from '../../src/operations/control-server.js';
import { turnsOf } from '../support/turns.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

describe('the control socket', () => {
  let directory: TemporaryDirectory;
  let path: string;
  let server: ControlServer | undefined;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    path = controlPath(directory.path);
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await directory.remove();
  });

  const ignore = (): void => undefined;
  const listen = async (commands: ControlCommands): Promise<void> => {
    server = await controlServer(path, commands);
  };
  const failure = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => {
        throw new Error('was not refused');
      },
      (error: unknown) => error,
    );
  const raw = async (text: string): Promise<string> => {
    const socket = connect(path);
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.write(text);
    await once(socket, 'close');
    return answer;
  };

  it('is for its owner only, also where one was left behind', async () => {
    writeFileSync(path, 'left behind');
    expect(await failure(askService(path, 'add', {}, ignore))).to.be.instanceOf(NoService);
    await listen({ add: (input) => Promise.resolve(input) });
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    expect(await askService(path, 'add', { one: 1 }, ignore)).to.deep.equal({ one: 1 });
  });

  it('throws NoService without a service', async () => {
    expect(await failure(askService(path, 'add', {}, ignore))).to.be.instanceOf(NoService);
  });

  it('is named by its whole path, in whatever directory a command is given', async () => {
    const local = controlPath(relative(process.cwd(), directory.path));
    expect(local).to.equal(join(directory.path, 'control.sock'));
    const { message } = (await failure(askService(local, 'add', {}, ignore))) as Error;
    expect(message).to.equal(`No service listens on ${local}`);
    mkdirSync(local);
    const unusable = (await failure(listen({}))) as Error;
    expect(unusable.message).to.match(new RegExp(`^DATA_DIR ${directory.path} cannot be used: .*${local}`));
  });

  it('needs a path of which the shorter spelling is short', async () => {
    const deep = join(directory.path, 'd'.repeat(90));
    expect(() => controlPath(deep)).to.throw('too long a path for its control socket (100 bytes at most)');
    const below = join(directory.path, 'd'.repeat(60), 'd'.repeat(30));
    mkdirSync(below, { recursive: true });
    const before = process.cwd();
    process.chdir(join(directory.path, 'd'.repeat(60)));
    try {
      path = controlPath(below);
      expect(path).to.equal(join(below, 'control.sock'));
      expect(String(await failure(askService(path, 'add', {}, ignore)))).to.contain(`listens on ${path}`);
      await listen({ add: (input) => Promise.resolve(input) });
      expect(await askService(path, 'add', 1, ignore)).to.equal(1);
      await server?.close();
      server = undefined;
    } finally {
      process.chdir(before);
    }
  });

  it('answers with progress, results and errors', async () => {
    await listen({
      count: (input, report) => {
        report(1);
        report({ two: 'ü\n' });
        return Promise.resolve(input === null ? undefined : 3);
      },
      fail: () => Promise.reject(new Error('it broke\nin two')),
    });
    const progress: unknown[] = [];
    expect(await askService(path, 'count', {}, (each) => progress.push(each))).to.equal(3);
    expect(progress).to.deep.equal([1, { two: 'ü\n' }]);
    expect(await askService(path, 'count', null, ignore)).to.equal(null);
    expect(String(await failure(askService(path, 'fail', {}, ignore)))).to.equal('Error: it broke\nin two');
    expect(String(await failure(askService(path, 'toString', {}, ignore)))).to.contain('has no command toString');
  });

  it('passes on texts that hold the ends of lines', async () => {
    await listen({ add: (input) => Promise.resolve(input) });
    const value = { text: 'a\u2028b\u2029c\n' };
    expect(await askService(path, 'add', value, ignore)).to.deep.equal(value);
  });

  it('does nothing for a command that ends before all of its input is there', async () => {
    const inputs: unknown[] = [];
    let ended = ignore;
    const isOver = new Promise<void>((resolve) => (ended = resolve));
    await listen({
      add: (input) => {
        inputs.push(input);
        return Promise.resolve(input);
      },
    });
    const half = connect(path);
    half.write('POST /add HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    half.write('15\r\n{"at":[],"value":{}}\n\r\n');
    // It has been read by then.
    await askService(path, 'add', 1, ignore);
    half.once('close', ended);
    half.destroy();
    await isOver;
    await askService(path, 'add', 2, ignore);
    await askService(path, 'add', 3, ignore);
    expect(inputs).to.deep.equal([1, 2, 3]);
  });

  for (const [title, size] of [
    ['small', 1],
    ['large', 100_000],
  ] as const) {
    it(`does nothing for a command that has ended before its input is read: ${title}`, async () => {
      const inputs: unknown[] = [];
      await listen({ add: (input) => Promise.resolve(inputs.push(input)) });
      const input = JSON.stringify({ at: [], value: 'x'.repeat(size) });
      const sent = connect(path);
      await once(sent, 'connect');
      sent.write(`POST /add HTTP/1.1\r\nHost: x\r\nContent-Length: ${input.length}\r\n\r\n${input}`);
      expect(sent.writableLength).to.equal(0);
      sent.destroy();
      await askService(path, 'add', 1, ignore);
      await askService(path, 'add', 2, ignore);
      expect(inputs).to.deep.equal([1, 2]);
    });
  }

  it('aborts the signal of the work once its command has ended', async () => {
    let end = ignore;
    const isEnded = new Promise<void>((resolve) => (end = resolve));
    await listen({
      work: (_, report, ended) => {
        ended?.addEventListener('abort', end);
        report(ended?.aborted);
        return new Promise(ignore);
      },
    });
    const socket = connect(path);
    socket.write('POST /work HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n{"at":[],"value":{}}');
    const [begun] = (await once(socket, 'data')) as [Buffer];
    expect(begun.toString()).to.contain('{"progress":false}');
    socket.destroy();
    await isEnded;
  });

  it('aborts it also for a command that sends no more and reads nothing of what the service has written', async () => {
    let [begin, end] = [ignore, ignore];
    const isBegun = new Promise<void>((resolve) => (begin = resolve));
    const isEnded = new Promise<void>((resolve) => (end = resolve));
    await listen({
      work: (_, report, ended) => {
        ended?.addEventListener('abort', end);
        for (let nth = 0; nth < 100; nth += 1) report('x'.repeat(10_000));
        begin();
        return new Promise(ignore);
      },
    });
    const socket = connect(path);
    socket.write('POST /work HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n{"at":[],"value":{}}');
    await isBegun;
    socket.end();
    await isEnded;
    socket.destroy();
  });

  it('leaves others their turns while it reads an input', async () => {
    await listen({ add: (input) => Promise.resolve(input) });
    const input = '{"at":[],"value":7}\n'.repeat(40);
    const { parse } = JSON;
    JSON.parse = (...given) => {
      const began = performance.now();
      while (performance.now() - began < 5);
      return parse(...given) as unknown;
    };
    try {
      const head = `POST /add HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${input.length}\r\n\r\n`;
      const turns = await turnsOf(async () => {
        expect(await raw(`${head}${input}`)).to.contain('"value":7');
      });
      expect(turns).to.be.at.least(15);
    } finally {
      JSON.parse = parse;
    }
  });

  it('refuses the command of another release', async () => {
    await listen({ add: (input) => Promise.resolve(input) });
    const head = 'POST /add HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ';
    expect(await raw(`${head}12\r\n\r\n{"text": ""}`)).to.contain('another release');
  });

  it('refuses an input of more than 256 MiB, and lets go of the client', async () => {
    await listen({ add: (input) => Promise.resolve(input) });
    const sent = request({ socketPath: path, method: 'POST', path: '/add' });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    const closed = once(sent, 'close');
    sent.write('{"at":[],"value":{}}\n');
    const line = `{"at":["same"],"value":"${'x'.repeat(4 * 1024 * 1024)}"}\n`;
    for (let nth = 0; nth < 70; nth += 1) if (!sent.write(line)) await Promise.race([once(sent, 'drain'), answered]);
    sent.end();
    const [response] = await answered;
    const answer = (await response.toArray()).join('');
    expect(answer).to.equal('{"error":"The input of the command is larger than 256 MiB"}\n');
    await closed;
  });

  for (const [title, input] of [
    ['before it answers', {}],
    ['before it has read all of the input', { text: 'x'.repeat(8 * 1024 * 1024) }],
  ] as const) {
    it(`names the stop of a service ${title}`, async () => {
      const stopping = createServer((incoming) => setImmediate(() => incoming.socket.destroy())).listen(path);
      await once(stopping, 'listening');
      const refused = await failure(askService(path, 'export', input, ignore));
      stopping.close();
      expect(refused).to.have.property('message', 'The service stopped before the command was complete');
    });
  }

  for (const line of ['{"result":[]}', '{"end":true}', '{}', 'null', '7']) {
    it(`refuses the answer of another release: ${line}`, async () => {
      const other = createServer((_, response) => response.end(`{"progress":1}\n${line}\n`)).listen(path);
      await once(other, 'listening');
      const refused = await failure(askService(path, 'plan', {}, ignore));
      other.close();
      expect(refused).to.have.property('message', 'The command is of another release than the service');
    });
  }

  it('survives garbage', async () => {
    await listen({ add: (input) => Promise.resolve(input) });
    expect(await raw('\u0000\u0001 what\r\n\r\n')).to.contain('400 Bad Request');
    const head = 'POST /add HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ';
    expect(await raw(`${head}5\r\n\r\n{{{{{`)).to.contain('"error"');
    expect(await raw(`${head}0\r\n\r\n`)).to.contain('"error"');
    const half = connect(path);
    half.write(`${head}500\r\n\r\n{`);
    await once(half, 'connect');
    half.destroy();
    expect(await askService(path, 'add', 7, ignore)).to.equal(7);
  });

  it('continues the work after the command has gone', async () => {
    let goOn = ignore;
    let done = ignore;
    const finished = new Promise<void>((resolve) => (done = resolve));
    await listen({
      add: (input) => Promise.resolve(input),
      work: async (_, report) => {
        report('begun');
        await new Promise<void>((resolve) => (goOn = resolve));
        for (let nth = 0; nth < 100; nth += 1) report('x'.repeat(10_000));
        done();
        return 'done';
      },
    });
    const socket = connect(path);
    socket.write('POST /work HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n{"at":[],"value":{}}');
    await once(socket, 'data');
    socket.destroy();
    await askService(path, 'add', 1, ignore);
    goOn();
    await finished;
    expect(await askService(path, 'add', 2, ignore)).to.equal(2);
  });

  it('fails waiting commands when the service stops', async () => {
    await listen({
      work: (_, report) => {
        report('begun');
        return new Promise(ignore);
      },
    });
    const refused = await failure(
      askService(path, 'work', {}, () => {
        void server?.close();
        server = undefined;
      }),
    );
    expect(String(refused)).to.contain('The service stopped before the command was complete');
  });
});
