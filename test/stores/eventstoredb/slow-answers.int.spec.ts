import { expect } from 'chai';
import { eventually } from '../../e2e/servers/eventually.js';
import { type OnDouble, onDouble, SHORT } from '../../support/eventstoredb/opened.js';
import { eventStoreDouble, type Double } from '../../support/eventstoredb/double.js';
import { targetOf, tcpProxy, through, type TcpProxy } from '../../support/tcp-proxy.js';
import { metadata, newStream, noted } from '../contracts/event-log-fixture.js';

/** There and back it takes longer than a call may. */
const LATE_MS = 0.75 * SHORT.call;

describe('a subscription to a server that has become slow to answer', () => {
  let server: Double;
  let proxy: TcpProxy;
  let on: OnDouble;
  let direct: OnDouble;
  let stop: AbortController;
  let seen: string[];
  let following: Promise<void>;
  const stream = newStream();
  let written = 0;

  beforeEach(async () => {
    server = await eventStoreDouble();
    proxy = await tcpProxy(targetOf(server.connectionString));
    on = await onDouble({ connectionString: through(proxy, server.connectionString) });
    direct = await onDouble({ connectionString: server.connectionString });
    [stop, seen, written] = [new AbortController(), [], 0];
    following = follow();
    await write();
    await eventually('the first event', () => seen.length === 1);
  });
  afterEach(async () => {
    proxy.delay(0);
    stop.abort();
    await following;
    await Promise.all([on.close(), direct.close()]);
    await proxy.close();
    server.stop();
  });

  const follow = async (): Promise<void> => {
    for await (const { events } of on.log.subscribe(null, [], stop.signal)) seen.push(...events.map(({ id }) => id));
  };

  const write = async (): Promise<void> => {
    await direct.log.append(stream, written - 1, [noted()], metadata);
    written += 1;
  };

  it('goes on after a cut, because each try waits longer than the one before', async () => {
    proxy.delay(LATE_MS);
    proxy.cut();
    await write();
    await eventually('the event after the cut', () => seen.length === 2, 15_000);
    expect(on.errors.length, 'tries').to.be.below(10);
  });

  it('waits no longer than usual again once it has gone on', async () => {
    proxy.delay(LATE_MS);
    proxy.cut();
    await write();
    await eventually('the event after the cut', () => seen.length === 2, 15_000);
    proxy.delay(0);
    await write();
    await eventually('the next one', () => seen.length === 3);

    on.errors.splice(0);
    proxy.hang();
    proxy.cut();
    const began = performance.now();
    await eventually(
      'two tries in vain',
      () => on.errors.filter((error) => String(error).includes('nothing')).length > 1,
    );
    expect(performance.now() - began).to.be.below(8 * SHORT.call);
    expect(on.errors.map(String).join()).to.include(`nothing for ${SHORT.call} ms`);
    proxy.goOn();
  });
});
