import { describe, expect, it } from 'vitest';
import { oneIn } from '../depth.js';
import { renderChart } from './chart.js';

/** The schedules of tenants that differ only in name. */
function schedulesOf(schedule: string, spread: unknown = '', number = 60): readonly string[] {
  const tenants = Array.from({ length: number }, (_, at) => ({
    name: `tenant-${at}`,
    existingConfigMap: { name: 'config' },
  }));
  const cronJob = { schedule, spread };
  const values = { image: { repository: 'a' }, helmTest: { enabled: false }, mode: 'cronjob', cronJob, tenants };
  return renderChart(values)
    .filter(({ kind }) => kind === 'CronJob')
    .map(({ spec }) => String((spec as { readonly schedule: unknown }).schedule));
}

const distinct = (all: readonly string[]): readonly string[] => [...new Set(all)].toSorted();
const minutes = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, at) => `${from + at} * * * *`).toSorted();

describe('the starts of CronJobs', () => {
  it.each(
    oneIn(4, [
      ['spread over the first tenth of an hour', '0 * * * *', '', minutes(0, 6)],
      ['not past the hour', '57 * * * *', '', minutes(57, 60)],
      ['over a length of their own', '0 * * * *', '3m', minutes(0, 3)],
      ['not at all for 0', '0 * * * *', 0, ['0 * * * *']],
      ['not if a tenth is a minute', '*/15 * * * *', '', ['*/15 * * * *']],
      ['not if the minutes are a range', '0-30/10 * * * *', '5m', ['0-30/10 * * * *']],
      [
        'all minutes by the same offset',
        '0,30 6-18 * * 1-5',
        '',
        ['0,30', '1,31', '2,32'].map((at) => `${at} 6-18 * * 1-5`),
      ],
      ['a step as its minutes', '*/20 * * * *', '2m', ['*/20 * * * *', '1,21,41 * * * *']],
      [
        'a length below a pause',
        '*/2 * * * *',
        '10m',
        ['*/2', Array.from({ length: 30 }, (_, at) => at * 2 + 1).join(',')].map((at) => `${at} * * * *`),
      ],
      ['a name', '@daily', '2m', ['1 0 * * *', '@daily']],
    ]),
  )('%s: %s with %j', (_what, schedule, spread, all) => {
    expect(distinct(schedulesOf(schedule, spread))).toEqual([...all].toSorted());
  });

  it('stay the same for a name, independent of other tenants', () => {
    expect(schedulesOf('0 * * * *', '', 60).slice(0, 5)).toEqual(schedulesOf('0 * * * *', '', 5));
  });
});
