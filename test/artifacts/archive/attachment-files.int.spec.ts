import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { artifactStream, type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { fileStream } from '../../../src/files/file-events.js';
import { deletionPorts } from '../../../src/composition/http-server.js';
import { interruptedArchives } from '../../../src/artifacts/deletions/recovery.js';
import { sha256 } from '../../stores/contracts/blob-store.contract.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { deletionApi, type DeletionApi } from '../deletions/deletion-api.js';
import { at, readXml, validate } from './archive-schema.js';

describe('the files in the archive of a deleted artifact', () => {
  let api: DeletionApi;
  let blobs: string;
  before(async () => {
    const files = await temporaryDirectory();
    blobs = join(files.path, 'data', 'blobs');
    // On servers too, the bytes are where the specs can damage them.
    api = await deletionApi(files, process.env['TEST_STORES'] ? { FILES_DIR: blobs } : {});
    await api.settings({ type: 'SetDeletionLimit', limit: 100 });
    await api.settings({ type: 'SetArchiving', enabled: true });
  });
  after(() => api.stopAll());

  const uploaded = async (...pieces: readonly string[]): Promise<number> => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const [first = '', ...others] = pieces;
    const body = { name: 'a.txt', mimetype: 'text/plain', content: base64(first) };
    const { id } = (await api.post('/artifact_temporary_files', { as: 'carol', body })).body;
    for (const [at, piece] of others.entries()) {
      const more = { offset: at + 2, content: base64(piece) };
      await api.put(`/artifact_temporary_files/${id}`, { as: 'carol', body: more });
    }
    return id;
  };
  const holding = (...files: readonly number[]): Promise<number> =>
    api.created([api.set('attachments', { value: files })]);
  const pathOf = (bytes: string): string => join(blobs, sha256(bytes).slice(0, 2), sha256(bytes).slice(2));
  const documentsOf = (id: number): readonly string[] =>
    existsSync(api.archiveDir)
      ? readdirSync(api.archiveDir).filter(
          (name) => name.startsWith(`deleted_artifact_${id}_`) && name.endsWith('.xml'),
        )
      : [];
  const attachmentsIn = (id: number): readonly Readonly<Record<string, string>>[] => {
    const text = readFileSync(join(api.archiveDir, documentsOf(id)[0]!), 'utf8');
    validate(text);
    return at(readXml(text), 'attachments/attachment').map(({ attributes }) => attributes);
  };
  const lastOf = async (id: number): Promise<string | undefined> =>
    (await api.service.log.read<ArtifactEvent>(artifactStream(id))).events.at(-1)?.type;
  const removed = async (id: number): Promise<void> => {
    expect((await api.remove(id)).status).to.equal(200);
    await api.caughtUp();
  };
  /** As the recovery archives it. The reason why it cannot be; undefined if it was. */
  const archivedAgain = async (id: number): Promise<string | undefined> => {
    const { config, logger } = api.serving;
    const items = await interruptedArchives(deletionPorts(api.service, config, logger)).find(new Date());
    const item = items.find((one) => one.id === String(id));
    expect(item, `artifact ${id} is to be archived`).not.to.equal(undefined);
    try {
      await item?.resume();
      return undefined;
    } catch (error) {
      return String(error);
    }
  };

  const random = (): string => `${randomUUID()} `.repeat(300);
  const damages: readonly (readonly [string, (path: string, bytes: string) => void, RegExp])[] = [
    [
      'are cut short',
      (path, bytes) => {
        writeFileSync(path, bytes.slice(0, 5000));
      },
      /cannot be read: The blob .* lacks \d+ of \d+ bytes/,
    ],
    [
      'are others of the same number',
      (path, bytes) => {
        writeFileSync(path, bytes.replace(' ', '!'));
      },
      /is damaged/,
    ],
    [
      'are missing',
      (path) => {
        rmSync(path);
      },
      /cannot be read: There is no blob/,
    ],
  ];
  for (const [how, damage, reason] of damages) {
    it(`are waited for if bytes of one ${how}, and the document is written once these are back`, async () => {
      const [sound, bytes] = [random(), random()];
      const [first, second] = [await uploaded(sound), await uploaded('one, ', bytes)];
      const id = await holding(first, second);
      damage(pathOf(bytes), bytes);
      await removed(id);
      expect([await lastOf(id), documentsOf(id)]).to.deep.equal(['ArtifactDeleted', []]);

      const failure = await archivedAgain(id);
      expect(failure)
        .to.match(new RegExp(`file ${second} .* ${sha256(bytes)} `))
        .and.match(reason);
      expect([await lastOf(id), documentsOf(id)]).to.deep.equal(['ArtifactDeleted', []]);

      writeFileSync(pathOf(bytes), bytes);
      expect(await archivedAgain(id)).to.equal(undefined);
      expect(await lastOf(id)).to.equal('ArtifactArchived');
      const attachments = attachmentsIn(id);
      const held = attachments.map(({ path }) => readFileSync(join(api.archiveDir, path!), 'utf8'));
      expect(held).to.deep.equal([sound, `one, ${bytes}`]);
      expect(attachments.map(({ digest }) => digest)).to.deep.equal(held.map((text) => sha256(text)));
    });
  }

  it('leave no draft behind if bytes are damaged', async () => {
    const bytes = random();
    const file = await uploaded(bytes);
    const id = await holding(file);
    writeFileSync(pathOf(bytes), bytes.slice(1));
    await removed(id);
    const [folder] = readdirSync(api.archiveDir).filter((name) => name.startsWith(`deleted_artifact_${id}_`));
    expect(readdirSync(join(api.archiveDir, folder!))).to.deep.equal([]);
    writeFileSync(pathOf(bytes), bytes);
    expect(await archivedAgain(id)).to.equal(undefined);
  });

  it('have neither path nor digest if the log records that their bytes were erased, also since the deletion', async () => {
    const [bytes, later] = [random(), random()];
    const [file, erasedLater] = [await uploaded(bytes), await uploaded(later)];
    const id = await holding(file, erasedLater);
    const erased = async (fileId: number): Promise<void> => {
      const { revision } = await api.service.log.read(fileStream(fileId));
      const event = { id: randomUUID(), type: 'FileErased', data: { fileId } };
      const metadata = { actor: null, at: api.service.clock().toISOString(), schema: 1, commandId: randomUUID() };
      await api.service.log.append(fileStream(fileId), revision, [event], metadata);
    };
    for (const each of [bytes, later]) rmSync(pathOf(each));
    await erased(file);
    await removed(id);
    expect(await archivedAgain(id)).to.match(new RegExp(`file ${erasedLater} `));
    await erased(erasedLater);
    expect(await archivedAgain(id)).to.equal(undefined);
    expect(await lastOf(id)).to.equal('ArtifactArchived');
    for (const attachment of attachmentsIn(id)) {
      expect(attachment).to.include({ media_type: 'text/plain' }).and.not.have.any.keys('path', 'digest');
    }
  });
});
