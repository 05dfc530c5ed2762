/** The log on EventStoreDB beside the bare client, on a protocol double: no real server, but the same one for all. */
import { runJob, startJob } from '../children.js';
import { type EventStoreResult, type Rate } from '../jobs/event-store.js';
import { fixed, whole, type Measured } from '../table.js';
import { type Row } from './row.js';

const GOAL = '≥ 0.9';

export const eventStore: Row = {
  name: 'eventstoredb',
  ownPlatform: true,
  async measure({ options: { rounds, seconds } }) {
    const measured: Measured[] = [];
    for (const call of ['append', 'read'] as const) {
      for (const atOnce of [1, 32]) {
        const server = startJob('event-store-server', {});
        const input = { connectionString: await server.said, call, atOnce, seconds: rounds * seconds };
        const { adapter, unary, batch } = await runJob<EventStoreResult>('event-store-calls', input);
        await server.stop();
        const byBatch = call === 'append' ? `; client's batch stream ${described(batch)}` : '';
        measured.push({
          what: `${call}, ${atOnce} at once`,
          ratio: fixed(adapter.perSecond / unary.perSecond),
          goal: GOAL,
          figures: `${described(adapter)}; bare client ${described(unary)}${byBatch}`,
        });
      }
    }
    return measured;
  },
};

const described = ({ perSecond, cpu }: Rate): string => `${whole(perSecond)}/s, ${whole(cpu)} µs`;
