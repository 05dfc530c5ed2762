import { type SeededRandom } from './seeded-random.js';

const THINGS = [
  'Pump 3',
  'The inlet valve',
  'The pressure sensor',
  'The control panel',
  'The report',
  'The alarm',
] as const;
const TROUBLES = [
  'stops after a restart',
  'shows the wrong unit',
  'does not answer at night',
  'loses its settings',
  'is slow to start',
  'counts twice',
] as const;
const WISHES = [
  'Warn before a pump runs dry',
  'See the flow of a whole day',
  'Compare two valves',
  'Send the weekly report by mail',
  'Take over a shift without a call',
  'Calibrate a sensor from the office',
] as const;
const RISKS = [
  'A supplier gives up',
  'Frost in the basin',
  'Two licences run out',
  'Nobody knows the old firmware',
] as const;
const DETAILS = [
  'Seen twice this week, always shortly after maintenance.',
  'The log has nothing about it.',
  'It happens on the test bench as well.',
  'Until then a restart by hand helps.',
] as const;
const COMMENTS = [
  'I can reproduce it.',
  'Waiting for a part.',
  'Looks better with the new firmware.',
  'Please have a look before Friday.',
  'Measured again: still there.',
] as const;

export const demoTrouble = (random: SeededRandom): string => `${random.oneOf(THINGS)} ${random.oneOf(TROUBLES)}`;
export const demoWish = (random: SeededRandom): string => random.oneOf(WISHES);
export const demoRisk = (random: SeededRandom): string => random.oneOf(RISKS);
export const demoDetails = (random: SeededRandom): string => `${random.oneOf(DETAILS)} ${random.oneOf(DETAILS)}`;
export const demoComment = (random: SeededRandom): string => random.oneOf(COMMENTS);
