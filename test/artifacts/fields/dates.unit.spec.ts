import { expect } from 'chai';
import { isoDate } from '../../../src/artifacts/fields/dates.js';
import { fieldOf } from '../../support/definitions.js';
import { pointers, read, refusal, written } from './setting.js';

const due = fieldOf(505, 'date', { label: 'Due' });
const meeting = fieldOf(506, 'date', { label: 'Meeting', time: true });

describe('A date field', () => {
  const accepted: readonly (readonly [string, string, string])[] = [
    ['2024-03-05', '2024-03-05', '2024-03-05T00:00:00Z'],
    ['2024-03-05T10:11', '2024-03-05', '2024-03-05T10:11:00Z'],
    ['2024-03-05T10:11:12', '2024-03-05', '2024-03-05T10:11:00Z'],
    ['2024-03-05 10:11:12', '2024-03-05', '2024-03-05T10:11:00Z'],
    ['2024-03-05T10:11:12.345Z', '2024-03-05', '2024-03-05T10:11:00Z'],
    ['2024-03-05t10:11:12z', '2024-03-05', '2024-03-05T10:11:00Z'],
    ['2024-03-05T23:30:00-02:00', '2024-03-05', '2024-03-06T01:30:00Z'],
    ['2024-03-05T00:30:00+0100', '2024-03-05', '2024-03-04T23:30:00Z'],
    ['2024-03-05 00:30 +01', '2024-03-05', '2024-03-04T23:30:00Z'],
    ['Tue, 05 Mar 2024 09:11:12 GMT', '2024-03-05', '2024-03-05T09:11:00Z'],
    ['Tue, 5 Mar 2024 09:11:12 +0530', '2024-03-05', '2024-03-05T03:41:00Z'],
    ['05 mar 2024 09:11 utc', '2024-03-05', '2024-03-05T09:11:00Z'],
    ['2024-02-29', '2024-02-29', '2024-02-29T00:00:00Z'],
    ['0001-01-01', '0001-01-01', '0001-01-01T00:00:00Z'],
    ['9999-12-31', '9999-12-31', '9999-12-31T00:00:00Z'],
    ['2024/03/05', '2024-03-05', '2024-03-05T00:00:00Z'],
    ['2024/03/05 10:30', '2024-03-05', '2024-03-05T10:30:00Z'],
    ['2024-3-5', '2024-03-05', '2024-03-05T00:00:00Z'],
    ['2024/3/15T23:30:00-02:00', '2024-03-15', '2024-03-16T01:30:00Z'],
    ['20240305', '2024-03-05', '2024-03-05T00:00:00Z'],
    ['20240305 10:30:59Z', '2024-03-05', '2024-03-05T10:30:00Z'],
    ['@1709629872', '2024-03-05', '2024-03-05T09:11:00Z'],
    ['@0', '1970-01-01', '1970-01-01T00:00:00Z'],
    ['@-62135596800', '0001-01-01', '0001-01-01T00:00:00Z'],
    ['@253402300799', '9999-12-31', '9999-12-31T23:59:00Z'],
  ];
  for (const [value, day, minute] of accepted) {
    it(`takes ${value}: its day as written, or the minute in UTC`, () => {
      expect(written(due, { value })).to.deep.equal({ date: day });
      expect(written(meeting, { value })).to.deep.equal({ date: minute });
    });
  }

  it('is cleared by null and by an empty string', () => {
    expect(written(due, { value: null }, { date: '2024-03-05' })).to.equal(null);
    expect(written(due, { value: '' }, { date: '2024-03-05' })).to.equal(null);
  });

  const refused: readonly unknown[] = [
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '0000-01-01',
    '2024-03-05T24:00:00Z',
    '2024-03-05T10:60:00Z',
    '2024-03-05T10:11:60Z',
    '2024-03-05T10:11:00+15:00',
    '2024-03-05T10:11:00+01:60',
    'Mon, 05 Mar 2024 09:11:12 GMT',
    'Tue, 05 Foo 2024 09:11:12 GMT',
    'Sat, 31 Feb 2024 09:11:12 GMT',
    '05/03/2024',
    '05.03.2024',
    '2024.03.05',
    '2024/02/31',
    '20240231',
    '2024-2-30',
    '2024-3/5',
    '2024/03-05',
    '2024-0305',
    '2024-003-05',
    '2024305',
    '202403051',
    '24/03/05',
    '2024/03/05 9:30',
    '@-62135596801',
    '@253402300800',
    '@9999999999999',
    '@1709629872.5',
    '@',
    '1709629872',
    'now',
    'next Monday',
    'tomorrow',
    ' 2024-03-05',
    '2024-03-05'.padEnd(100),
    1_709_629_872,
    true,
    [],
    {},
  ];
  for (const value of refused) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(pointers(refusal(due, { value }))).to.deep.equal(['/value']);
      expect(pointers(refusal(meeting, { value }))).to.deep.equal(['/value']);
    });
  }

  it('refuses a minute that is outside the years 1 to 9999 in UTC', () => {
    expect(pointers(refusal(meeting, { value: '0001-01-01T00:00:00+01:00' }))).to.deep.equal(['/value']);
    expect(pointers(refusal(meeting, { value: '9999-12-31T23:30:00-01:00' }))).to.deep.equal(['/value']);
  });

  it('is unchanged if it is what the artifact shows, with or without time', () => {
    const night = { date: '2024-03-05T23:30:00Z' };
    const day = { date: '2024-03-05' };
    for (const value of ['2024-03-05', '2024-03-05T00:00:00+00:00', '2024-03-05T12:00:00Z']) {
      expect(written(due, { value }, night)).to.deep.equal(night);
    }
    expect(written(due, { value: '2024-03-06' }, night)).to.deep.equal({ date: '2024-03-06' });
    expect(written(meeting, { value: '2024-03-05T00:00:00+00:00' }, day)).to.deep.equal(day);
    expect(written(meeting, { value: '2024-03-05T00:01:00Z' }, day)).to.deep.equal({ date: '2024-03-05T00:01:00Z' });
    expect(written(meeting, { value: '2024-03-05T23:30:10Z' }, night)).to.deep.equal(night);
  });

  it('has to be given a value, and names what it refuses', () => {
    expect(pointers(refusal(due, {}))).to.deep.equal(['']);
    expect(refusal(due, { value: 'x'.repeat(500) })[0]?.message).to.match(/^Due: .*not "x{60}"…$/);
  });

  it('is read as an instant with an offset', () => {
    expect(read(due, { date: '2024-03-05' })).to.deep.equal({
      field_id: 505,
      type: 'date',
      label: 'Due',
      value: '2024-03-05T00:00:00+00:00',
      is_time_displayed: false,
    });
    expect(read(meeting, { date: '2024-03-05T10:11:00Z' })).to.include({
      value: '2024-03-05T10:11:00+00:00',
      is_time_displayed: true,
    });
    expect(read(due, null)).to.include({ value: null });
  });

  it('is read by what the field is today, although the value was stored under another type', () => {
    expect(read(due, { date: '2024-03-05T10:11:00Z' })).to.include({ value: '2024-03-05T00:00:00+00:00' });
    expect(read(meeting, { date: '2024-03-05' })).to.include({ value: '2024-03-05T00:00:00+00:00' });
  });
});

it('An instant is written without fractions and with an offset', () => {
  expect(isoDate('2024-03-05T09:11:12.345Z')).to.equal('2024-03-05T09:11:12+00:00');
});
