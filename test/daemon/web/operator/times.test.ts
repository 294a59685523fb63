import { expect, it, test } from 'vitest';
import type { Config } from '../../../../src/config/config.js';
import { renderPage } from '../../../../src/daemon/web/operator/frame.js';
import {
  clockText,
  dayText,
  endText,
  nextRunText,
  renderTwoTimes,
  timeText,
  withEnd,
} from '../../../../src/daemon/web/operator/pages/times.js';
import type { WebRequest } from '../../../../src/daemon/web/operator/route.js';
import { describeDeclined } from '../../../../src/report/sections/declined.js';
import { html } from '../../../../src/report/writers/page/html-text.js';
import { FACTS, STATUS, tenant } from './facts.js';

const inZone = (timezone: string) => ({ tenant: { ...tenant('acme'), config: { timezone } as Config } });
const OSLO = inZone('Europe/Oslo');

test.each([
  ['UTC', '2026-11-28T06:17:59.000Z', '2026-11-28 06:17 UTC'],
  ['Europe/Oslo', '2026-11-28T23:17:00.000Z', '2026-11-29 00:17 CET'],
  ['Europe/Oslo', '2026-07-01T12:00:00.000Z', '2026-07-01 14:00 CEST'],
  ['America/Sao_Paulo', '2026-11-28T01:30:00.000Z', '2026-11-27 22:30 GMT-3'],
])('shows a time in the time zone of the tenant: %s %s', (timezone, iso, text) => {
  expect(timeText(inZone(timezone), iso)).toBe(text);
  expect(timeText(inZone(timezone), Date.parse(iso))).toBe(text);
  expect(`${text.slice(0, 11)}${clockText(inZone(timezone), iso)}`).toBe(text);
});

it('moves the times of reports and causes into the time zone of the tenant, and leaves values unchanged', () => {
  const body = html`<p>adopted 2026-11-30 22:38 UTC, read 2026-07-01 12:00:05 UTC</p><time datetime="2026-11-30T22:38:00Z">`;
  const request = {
    ...OSLO,
    person: null,
    path: '/tenants/acme',
    query: new URLSearchParams(),
  } as unknown as WebRequest;
  const page = renderPage(request, { title: 'Run', under: '/', body });
  expect(page).toContain('adopted 2026-11-30 23:38 CET, read 2026-07-01 14:00:05 CEST');
  expect(page).toContain('datetime="2026-11-30T22:38:00Z"');
});

it('shows seconds only if two times fall in the same minute', () => {
  const render = (then: string, now: string) =>
    renderTwoTimes(OSLO, then, now).map((one) => one.html.replace(/<[^>]*>/g, ''));
  expect(render('2026-11-28T06:17:05.000Z', '2026-11-28T06:17:59.000Z')).toEqual([
    '2026-11-28 07:17:05 CET',
    '2026-11-28 07:17:59 CET',
  ]);
  expect(render('2026-11-28T06:16:05.000Z', '2026-11-28T06:17:59.000Z')).toEqual([
    '2026-11-28 07:16 CET',
    '2026-11-28 07:17 CET',
  ]);
});

test.each([
  ['the day that was typed', '2026-12-30T23:00:00.000Z', '2026-12-31'],
  ['the time that was typed', '2026-12-31T11:00:00.000Z', '2026-12-31 12:00 CET'],
])('shows as the end of a decision %s', (_, iso, text) => expect(endText(OSLO, iso)).toBe(text));

it('shows the moment at which a decision ends, also if a day was typed', () => {
  const text = (until: string | null) => {
    const words = { who: 'pat', at: '2026-11-28T08:00:00.000Z', reason: 'payroll', until };
    return describeDeclined(withEnd(OSLO, words));
  };
  expect(text('2026-12-30T23:00:00.000Z')).toBe('declined by pat until 2026-12-31 00:00 CET: payroll');
  expect(text('2026-12-31T11:00:00.000Z')).toBe('declined by pat until 2026-12-31 12:00 CET: payroll');
  expect(text(null)).toBe('declined by pat until the source value changes: payroll');
});

it('uses UTC for a tenant without a configuration, and leaves a date unchanged', () => {
  expect(timeText({ tenant: null }, '2026-11-28T06:17:00.000Z')).toBe('2026-11-28 06:17 UTC');
  expect(timeText(OSLO, '2026-11-28')).toBe('2026-11-28');
  expect(dayText(OSLO, '2026-11-28T23:30:00.000Z')).toBe('Sunday, 29 November 2026');
});

it('names the next run, or the pause that keeps it from starting', () => {
  let signalled: { readonly atMs: number } | null = null;
  const clock = { now: () => Date.parse('2026-11-28T08:00:00.000Z') };
  const daemon = { signals: { next: () => signalled } };
  const parts = { clock, daemon } as unknown as Parameters<typeof nextRunText>[0]['parts'];
  const nextMs = Date.parse('2026-11-28T10:00:00.000Z');
  const pause = { at: '2026-11-28T07:00:00.000Z', until: '2026-12-03T23:00:00.000Z', by: 'pat', reason: 'payroll' };
  const told = (more: object) =>
    nextRunText({ parts, tenant: { ...OSLO.tenant, status: { ...STATUS, nextMs, ...more } } });
  expect(told({})).toBe('The next run is at 2026-11-28 11:00 CET.');
  expect(told({ facts: { ...FACTS, pause } })).toBe('The tenant is paused; runs resume at 2026-12-04 00:00 CET.');
  expect(told({ facts: { ...FACTS, pause: { ...pause, until: '2026-11-28T07:30:00.000Z' } } })).toBe(
    'The next run is at 2026-11-28 11:00 CET.',
  );
  expect(told({ nextMs: null })).toBeNull();
  signalled = { atMs: Date.parse('2026-11-28T08:01:00.000Z') };
  expect(told({})).toBe('The next run is at 2026-11-28 09:01 CET.');
});
