import { expect } from 'chai';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { archiveIn } from '../../../src/artifacts/archive/commands.js';
import { type EventLog, type NewEvent, type StreamName } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { deleteArtifact } from '../../../src/artifacts/deletions/commands.js';
import { type DeletionPorts } from '../../../src/artifacts/deletions/ports.js';
import { deletionsStream } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { interruptedDeletions } from '../../../src/artifacts/deletions/recovery.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { pausingLog } from '../../support/pausing-log.js';
import { resumed } from '../../support/resumed.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { allowance, deletionApi, type DeletionApi } from './deletion-api.js';

const ONE_OF_FIVE = [200, 404, 404, 404, 404];

describe('One artifact that one user deletes several times at once', () => {
  let api: DeletionApi;
  beforeEach(async () => {
    api = await deletionApi(await temporaryDirectory());
    await api.settings({ type: 'SetDeletionLimit', limit: 50 });
  });
  afterEach(() => api.stopAll());

  /** Each log has queues of its own, as each process has. */
  const over = (log: EventLog): DeletionPorts => {
    const ports = { ...api.ports(), log };
    return { ...ports, archive: archiveIn(api.archiveDir, { ...api.service, log }) };
  };
  const remove = async (log: EventLog, artifactId: number): Promise<number> => {
    const { definitions } = api.service;
    const user = definitions.userNamed('bob')!;
    // Clients may give all their requests one id.
    const caller = { viewer: viewer(definitions, user), user, requestId: 'the same' };
    try {
      await deleteArtifact({ artifactId, precondition: undefined }, over(log), caller, () => undefined);
      return 200;
    } catch (error) {
      if (error instanceof Problem && error.kind === 'not-found') return 404;
      throw error;
    }
  };
  const typesIn = async (stream: StreamName): Promise<readonly string[]> =>
    (await api.service.log.read(stream)).events.map(({ type }) => type);
  const expectDeletedOnce = async (id: number, counts = 1): Promise<void> => {
    expect(await typesIn(artifactStream(id))).to.deep.equal(['ArtifactSubmitted', 'ArtifactDeleted']);
    expect(await typesIn(deletionsStream(api.user('bob')))).to.deep.equal(Array(counts).fill('DeletionCounted'));
  };
  const isDeletion = (_: StreamName, events: readonly NewEvent[]) =>
    events.some(({ type }) => type === 'ArtifactDeleted');

  it('is deleted by one request, is not found by the others, and is counted once', async () => {
    for (let round = 1; round <= 4; round += 1) {
      const id = await api.created();
      const answers = await Promise.all(ONE_OF_FIVE.map(() => api.remove(id)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal(ONE_OF_FIVE);
      await expectDeletedOnce(id, round);
    }
    expect(allowance(await api.remove(await api.created()))).to.deep.equal(['50', '45']);
  });

  it('is deleted by one request of those to two processes', async () => {
    const logs = [pausingLog(api.service.log), pausingLog(api.service.log)];
    for (let round = 1; round <= 4; round += 1) {
      const id = await api.created();
      const statuses = await Promise.all(ONE_OF_FIVE.map((_, n) => remove(logs[n % 2]!, id)));
      expect(statuses.sort()).to.deep.equal(ONE_OF_FIVE);
      await expectDeletedOnce(id, round);
    }
  });

  for (const first of [0, 1] as const) {
    it(`is deleted by the one of two processes that writes first: request ${first + 1}`, async () => {
      const id = await api.created();
      const logs = [pausingLog(api.service.log), pausingLog(api.service.log)] as const;
      const paused = logs.map((log) => log.pauseAt(isDeletion));
      const statuses = logs.map((log) => remove(log, id));
      const goOn = await Promise.all(paused);
      goOn[first]!();
      expect(await statuses[first]).to.equal(200);
      goOn[1 - first]!();
      expect(await statuses[1 - first]).to.equal(404);
      await expectDeletedOnce(id);
    });
  }

  it('is deleted by the request that was counted, if a recovery writes for it', async () => {
    const id = await api.created();
    const logs = [pausingLog(api.service.log), pausingLog(api.service.log)] as const;
    const counted = logs[0].pauseAt(isDeletion);
    const mine = remove(logs[0], id);
    const first = await counted;
    const found = logs[1].pauseAt(isDeletion);
    const other = remove(logs[1], id);
    const second = await found;
    await api.caughtUp();
    expect(await resumed(interruptedDeletions(api.ports()), new Date(Date.now() + 60_000))).to.equal(1);
    second();
    first();
    expect([await mine, await other]).to.deep.equal([200, 404]);
    await expectDeletedOnce(id);
  });

  it('is deleted by a later request, if the first one was cut off after its count', async () => {
    const id = await api.created();
    const log = pausingLog({ ...api.service.log, append: refusing(api.service.log, isDeletion) });
    const failure = await remove(log, id).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
    expect((await api.remove(id)).status).to.equal(200);
    await expectDeletedOnce(id);
  });
});

function refusing(
  log: EventLog,
  matches: (stream: StreamName, events: readonly NewEvent[]) => boolean,
): EventLog['append'] {
  return (stream, expected, events, metadata) =>
    matches(stream, events)
      ? Promise.reject(new Problem('unavailable', 'The log is out of reach', { retryAfter: 1 }))
      : log.append(stream, expected, events, metadata);
}
