import { expect } from 'chai';
import fc from 'fast-check';
import { artifactApi, refusal, type ArtifactApi } from './artifact-api.js';

describe('preconditions of a change', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  let count = 0;
  const attempt = async (id: number, headers: Record<string, string>): Promise<number> => {
    count += 1;
    return (await api.change(id, [api.titled(`Title ${count}`)], { headers })).status;
  };
  /** At revision 1. */
  const changedOnce = async (): Promise<number> => {
    const id = await api.created();
    await api.changed(id, [api.titled('Second')]);
    return id;
  };

  it('let the present Etag pass, quoted or bare, in a list, and any for an asterisk', async () => {
    for (const tag of ['"1"', '1', '"7", "1"', '7,1', ' "1" ', 'W/"7", "1"', '*']) {
      expect(await attempt(await changedOnce(), { 'If-Match': tag }), tag).to.equal(200);
    }
  });

  it('hold back every other tag, weak ones, foreign ones and nonsense', async () => {
    const id = await changedOnce();
    for (const tag of [
      '"0"',
      '0',
      '"2"',
      'W/"1"',
      '"a"',
      '""',
      '01',
      '"01"',
      '1.0',
      '"1',
      '"1"x',
      '"*"',
      '"1,7"',
      '-1',
      ',',
    ]) {
      expect(await attempt(id, { 'If-Match': tag }), tag).to.equal(412);
    }
    expect(await api.etag(id)).to.equal('"1"');
  });

  it('leave the artifact as it is, and answer in the shape of all errors', async () => {
    const id = await changedOnce();
    const answer = await api.change(id, [api.titled('Third')], { headers: { 'If-Match': '"0"' } });
    expect(refusal(answer)).to.deep.equal({ status: 412, pointers: [] });
    expect((await api.read(id)).body.title).to.equal('Second');
  });

  it('hold for what changes nothing too', async () => {
    const id = await changedOnce();
    for (const values of [[], [api.titled('Second')]]) {
      expect((await api.change(id, values, { headers: { 'If-Match': '"0"' } })).status).to.equal(412);
      expect((await api.change(id, values, { headers: { 'If-Match': '"1"' } })).status).to.equal(200);
    }
  });

  it('take Last-Modified as it was given out, in any spelling of that second', async () => {
    const id = await api.created();
    const modified = (await api.read(id)).headers.get('last-modified') ?? '';
    expect(await attempt(id, { 'If-Unmodified-Since': modified })).to.equal(200);
    const now = (await api.read(id)).headers.get('last-modified') ?? '';
    expect(await attempt(id, { 'If-Unmodified-Since': new Date(now).toISOString() })).to.equal(200);
  });

  it('take each of the three forms of a date of HTTP, whatever the time zone of the service', async () => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'Asia/Tokyo';
    try {
      const id = await api.created();
      for (const form of [imfFixdate, rfc850, asctime]) {
        const modified = new Date((await api.read(id)).headers.get('last-modified') ?? '');
        expect(await attempt(id, { 'If-Unmodified-Since': form(modified) }), form(modified)).to.equal(200);
      }
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });

  it('hold back a date that names no zone, whatever the time zone of the service', async () => {
    const id = await api.created();
    const zone = process.env['TZ'];
    for (const [of, offset] of Object.entries({ UTC: 0, 'Asia/Tokyo': 9 })) {
      process.env['TZ'] = of;
      try {
        const modified = Date.parse((await api.read(id)).headers.get('last-modified') ?? '');
        const local = new Date(modified + offset * 3_600_000).toISOString().slice(0, -5);
        const [year, , day, time] = local.split(/[-T]/);
        const named = `${time} ${day}-${imfFixdate(new Date(modified)).slice(8, 11)}-${year}`;
        for (const date of [local, named]) {
          expect(await attempt(id, { 'If-Unmodified-Since': date }), date).to.equal(412);
        }
        expect(await attempt(id, { 'If-Unmodified-Since': `${local}+0${offset}:00` }), local).to.equal(200);
      } finally {
        if (zone === undefined) delete process.env['TZ'];
        else process.env['TZ'] = zone;
      }
    }
  });

  it('hold back every other date, earlier, later or unreadable', async () => {
    const id = await api.created();
    const modified = Date.parse((await api.read(id)).headers.get('last-modified') ?? '');
    for (const date of [modified - 1000, modified + 1000, modified + 86_400_000].map((at) =>
      new Date(at).toUTCString(),
    )) {
      expect(await attempt(id, { 'If-Unmodified-Since': date }), date).to.equal(412);
    }
    expect(await attempt(id, { 'If-Unmodified-Since': 'yesterday' })).to.equal(412);
    expect(await attempt(id, { 'If-Unmodified-Since': '' })).to.equal(412);
  });

  it('have to hold both where both are given', async () => {
    const id = await api.created();
    const { headers } = await api.read(id);
    const etag = headers.get('etag') ?? '';
    const modified = headers.get('last-modified') ?? '';
    const past = new Date(0).toUTCString();
    expect(await attempt(id, { 'If-Match': etag, 'If-Unmodified-Since': past })).to.equal(412);
    expect(await attempt(id, { 'If-Match': '"9"', 'If-Unmodified-Since': modified })).to.equal(412);
    expect(await attempt(id, { 'If-Match': etag, 'If-Unmodified-Since': modified })).to.equal(200);
  });

  it('hold back the tags that If-None-Match names, strong or weak, and every one for an asterisk', async () => {
    const id = await changedOnce();
    for (const tag of ['"1"', 'W/"1"', '"7", W/"1"', '*', ' * ']) {
      expect(await attempt(id, { 'If-None-Match': tag }), tag).to.equal(412);
      expect(await attempt(id, { 'If-Match': '"1"', 'If-None-Match': tag }), tag).to.equal(412);
      const deletion = await api.request('DELETE', `/artifacts/${id}`, {
        as: 'alice',
        headers: { 'If-None-Match': tag },
      });
      expect(deletion.status, tag).to.equal(412);
    }
    expect(await api.etag(id)).to.equal('"1"');
  });

  it('let pass what If-None-Match does not name in quotes', async () => {
    for (const tag of ['"0"', '"01"', '1', 'W/1', '"1', '']) {
      expect(await attempt(await changedOnce(), { 'If-None-Match': tag }), tag).to.equal(200);
    }
    const headers = { 'If-None-Match': '"7"' };
    const deletion = await api.request('DELETE', `/artifacts/${await changedOnce()}`, { as: 'alice', headers });
    expect(deletion.status).to.equal(200);
  });

  it('are not needed: without one the artifact is overwritten', async () => {
    const id = await changedOnce();
    expect(await attempt(id, {})).to.equal(200);
    expect(await attempt(id, {})).to.equal(200);
    expect(await api.etag(id)).to.equal('"3"');
  });

  it('come after what the caller may do, and before what is written', async () => {
    const id = await changedOnce();
    const stale = { 'If-Match': '"0"' };
    expect((await api.put(`/artifacts/999999`, { as: 'carol', body: { values: [] }, headers: stale })).status).to.equal(
      404,
    );
    expect((await api.change(id, [], { as: 'dave', headers: stale })).status).to.equal(403);
    expect((await api.change(id, [{ field_id: 1 }], { headers: stale })).status).to.equal(412);
  });

  it('let no tag pass that was read before a change, and always the present one', async () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ title: fc.constantFrom('a', 'b', 'c') }),
        fc.record({ effort: fc.constantFrom(1, 2, null) }),
        fc.record({ comment: fc.constantFrom('', 'Seen') }),
      ),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const id = await api.created();
        const tags = ['"0"'];
        for (const step of sequence) {
          const values = [
            ...('title' in step ? [api.titled(step.title)] : []),
            ...('effort' in step ? [api.set('effort', { value: step.effort })] : []),
          ];
          const comment = 'comment' in step ? { body: step.comment } : undefined;
          for (const stale of tags.slice(0, -1)) {
            expect((await api.change(id, values, { comment, headers: { 'If-Match': stale } })).status).to.equal(412);
          }
          const present = tags.at(-1) ?? '';
          const next = await api.changed(id, values, { comment, headers: { 'If-Match': present } });
          expect(await api.etag(id)).to.equal(next);
          if (next !== present) tags.push(next);
        }
        expect(new Set(tags).size).to.equal(tags.length);
      }),
      { numRuns: 12 },
    );
  });
});

const imfFixdate = (date: Date): string => date.toUTCString();

function rfc850(date: Date): string {
  const [, day = '', month = '', year = '', time = ''] = partsOf(date);
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(date);
  return `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
}

function asctime(date: Date): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = partsOf(date);
  return `${weekday.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
}

/** Of such as Sun, 06 Nov 1994 08:49:37 GMT. */
const partsOf = (date: Date): readonly string[] => date.toUTCString().split(' ');
