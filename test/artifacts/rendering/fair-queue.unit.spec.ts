import { expect } from 'chai';
import { fairQueue, type Waiting } from '../../../src/artifacts/rendering/fair-queue.js';

const requestOf = (lengths: readonly number[], reader: number | null = null): Waiting => ({
  reader,
  texts: lengths.map((length) => ({ format: 'html', text: 'x'.repeat(length) })),
});

/** The requests whose texts are rendered, in turn, until none waits. */
function served(queue: ReturnType<typeof fairQueue>, turns = Infinity): readonly Waiting[] {
  const order: Waiting[] = [];
  for (let next = queue.take(); next !== undefined && order.length < turns; next = queue.take()) {
    order.push(next.request);
    if (next.request.texts.length === 0) queue.remove(next.request);
  }
  return order;
}

const same = (count: number, length: number): readonly number[] => Array.from({ length: count }, () => length);

/** The texts that are given next, by their request. */
function given(queue: ReturnType<typeof fairQueue>, times: number): readonly (Waiting | undefined)[] {
  return Array.from({ length: times }, () => queue.take()?.request);
}

describe('The queue of texts to be rendered', () => {
  it('serves all short texts of a request before the long ones of another that came first', () => {
    const queue = fairQueue();
    const long = requestOf([1000, 1000]);
    const short = requestOf([10, 10, 10]);
    queue.add(long);
    queue.add(short);
    expect(served(queue).map((request) => (request === short ? 'short' : 'long'))).to.deep.equal([
      'short',
      'short',
      'short',
      'long',
      'long',
    ]);
  });

  it('lets requests alike take turns', () => {
    const queue = fairQueue();
    const [a, b] = [requestOf([5, 5, 5]), requestOf([5, 5, 5])];
    queue.add(a);
    queue.add(b);
    expect(
      served(queue)
        .map((request) => (request === a ? 'a' : 'b'))
        .join(''),
    ).to.equal('ababab');
  });

  it('gives a reader with one request as much as one with many', () => {
    const queue = fairQueue();
    const many = Array.from({ length: 50 }, () => requestOf([10, 10], null));
    for (const request of many) queue.add(request);
    const one = requestOf([10, 10, 10], 115);
    queue.add(one);
    expect(served(queue).lastIndexOf(one)).to.be.at.most(5);
  });

  it('owes nothing to a reader who comes late', () => {
    const queue = fairQueue();
    const first = requestOf(Array.from({ length: 100 }, () => 10));
    queue.add(first);
    given(queue, 50);
    const late = requestOf(
      Array.from({ length: 20 }, () => 10),
      115,
    );
    queue.add(late);
    const turns = served(queue);
    expect(turns.slice(0, 20).filter((request) => request === first).length).to.be.within(9, 11);
  });

  it('is not behind with a reader who comes late, when another was given much', () => {
    const queue = fairQueue();
    const much = requestOf([1000, 1000], 115);
    queue.add(much);
    given(queue, 1);
    const little = requestOf(same(3, 10), 116);
    queue.add(little);
    queue.add(requestOf([1000], 115));
    expect(given(queue, 1)[0] === little).to.equal(true);
    given(queue, 1);
    const late = requestOf([5], 117);
    queue.add(late);
    expect(given(queue, 2).includes(late)).to.equal(true);
  });

  it('gives no larger share to a reader with more requests', () => {
    const queue = fairQueue();
    const [hasty, patient] = [requestOf([1000, 1000], 115), requestOf(same(200, 10), 116)];
    queue.add(hasty);
    queue.add(patient);
    const before = given(queue, 51);
    expect(before.filter((request) => request === hasty)).to.have.length(1);
    queue.add(requestOf(same(50, 10), 115));
    expect(given(queue, 40).every((request) => request === patient)).to.equal(true);
  });

  it('owes nothing to a reader who comes back', () => {
    const queue = fairQueue();
    queue.add(requestOf(same(200, 10), 116));
    const first = requestOf(same(10, 10), 115);
    queue.add(first);
    given(queue, 20);
    queue.remove(first);
    given(queue, 50);
    const back = requestOf(same(50, 10), 115);
    queue.add(back);
    expect(given(queue, 20).filter((request) => request === back).length).to.be.within(9, 11);
  });

  it('takes out those that wait for the most when too much waits, but never the last', () => {
    const queue = fairQueue();
    const [small, large, largest] = [requestOf([10]), requestOf([50, 50]), requestOf([200])];
    for (const request of [large, small, largest]) queue.add(request);
    expect(queue.overflow(150)).to.deep.equal([largest]);
    expect(queue.overflow(50)).to.deep.equal([large]);
    expect(queue.overflow(1)).to.deep.equal([]);
    expect(queue.all()).to.deep.equal([small]);
  });

  it('gives no text that is longer than asked for, in place of one that is next', () => {
    const queue = fairQueue();
    const [long, longer] = [requestOf([100]), requestOf([200])];
    for (const request of [longer, long]) queue.add(request);
    expect(queue.take(99)).to.equal(undefined);
    expect(queue.take(100)?.request).to.equal(long);
  });

  it('knows what a reader was given until the last text is rendered', () => {
    const queue = fairQueue();
    const long = requestOf([1000], 115);
    queue.add(requestOf([10]));
    given(queue, 1);
    queue.add(long);
    // While the first is being rendered.
    queue.add(requestOf([10]));
    given(queue, 1);
    queue.add(requestOf([10]));
    expect(given(queue, 1)[0] === long).to.equal(true);
  });

  it('removes no request for texts that were rendered already', () => {
    const queue = fairQueue();
    const [begun, untouched] = [requestOf(same(3, 100)), requestOf([150], 115)];
    queue.add(begun);
    given(queue, 2);
    queue.add(untouched);
    expect(queue.overflow(250)).to.deep.equal([]);
    expect(queue.overflow(249)).to.deep.equal([untouched]);
  });

  it('looks at few of ten thousand requests when it gives a text or loses a request', () => {
    let looks = 0;
    const queue = fairQueue();
    const requests = Array.from({ length: 10_000 }, (_, nth) => {
      const { texts } = requestOf([20, 10 + (nth % 77)]);
      const look = <Value>(value: Value): Value => {
        looks += 1;
        return value;
      };
      return {
        get reader() {
          return look(nth % 100);
        },
        get texts() {
          return look(texts);
        },
      };
    });
    for (const request of requests) queue.add(request);
    looks = 0;
    given(queue, 100);
    expect(looks).to.be.below(100 * 100);
    looks = 0;
    for (const request of requests.slice(0, 100)) queue.remove(request);
    expect(looks).to.be.below(100 * 100);
    looks = 0;
    expect(queue.overflow(600_000).length).to.be.within(100, 2000);
    expect(looks).to.be.below(2000 * 100);
  });
});
