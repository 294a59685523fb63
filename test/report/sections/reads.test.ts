import { expect, it } from 'vitest';
import { describeCalm } from '../../../src/report/sections/reads.js';

it.each([
  [[{ complete: true }, { complete: true }], 0, 'nothing to change: both sides are equal'],
  [[{ complete: true }], 2, 'nothing to change'],
  [[{ complete: true }, { complete: false }], 0, 'nothing to change in what could be read'],
  [[{ complete: false }], 2, 'nothing to change in what could be read'],
  [[null], 0, 'nothing to change in what could be read'],
])('of reads %j with %i held it is said: %s', (sources, held, said) => {
  expect(describeCalm({ sources, mirror: null }, held)).toBe(said);
});
