import { addSeconds, createDayFinder, moveTimes, writeEnd, writeMinuteIn } from '../../../../model/date-in-zone.js';
import { type Html, html } from '../../../../report/writers/page/html-text.js';
import type { WebRequest } from '../route.js';

/* The pages show times in the tenant's time zone. */

type InZone = Pick<WebRequest, 'tenant'>;

export function zoneOf({ tenant }: InZone): string {
  return tenant?.config?.timezone ?? 'UTC';
}

/** `2026-12-31 12:00 CET`; a date without a time stays unchanged. */
export function timeText(of: InZone, at: string | number): string {
  const iso = isoOf(at);
  return isDay(iso) ? iso : writeMinuteIn(zoneOf(of), iso);
}

export function renderTime(of: InZone, at: string | number): Html {
  return html`<time datetime="${isoOf(at)}">${timeText(of, at)}</time>`;
}

/** Two times that readers compare; with seconds if both fall in the same minute. */
export function renderTwoTimes(of: InZone, first: string, second: string): readonly [first: Html, second: Html] {
  const isNear = first.slice(0, 16) === second.slice(0, 16);
  const render = (iso: string): Html =>
    isNear ? html`<time datetime="${iso}">${addSeconds(timeText(of, iso), iso)}</time>` : renderTime(of, iso);
  return [render(first), render(second)];
}

/** Reports, causes and explanations name times in UTC. A page shows them in the tenant's time zone. */
export function moveTimesOf(of: InZone, { html: text }: Html): Html {
  return { html: moveTimes(zoneOf(of), text) };
}

/** `06:17 CET` */
export function clockText(of: InZone, iso: string): string {
  return writeMinuteIn(zoneOf(of), iso).slice(11);
}

/** `Saturday, 28 November 2026` */
export function dayText(of: InZone, iso: string): string {
  const day = createDayFinder(zoneOf(of))(iso);
  return WEEKDAY.format(new Date(`${day}T00:00:00Z`)).replace(/^(\w+) /, '$1, ');
}

const WEEKDAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' });

/** The day or time that was typed as the end of a decision. The decision ends when that day begins. */
export function endText(of: InZone, iso: string): string {
  return writeEnd(zoneOf(of), iso);
}

export function renderEnd(of: InZone, iso: string): Html {
  return html`<time datetime="${iso}">${endText(of, iso)}</time>`;
}

/** Shows the end of a decision in the tenant's time zone. "Until" needs the time, because a day could mean its end. */
export function withEnd<T extends { readonly until: string | null }>(of: InZone, words: T): T {
  return words.until === null ? words : { ...words, until: timeText(of, words.until) };
}

function isDay(text: string): boolean {
  return text.length === 10;
}

/** The end of the pause; null if the tenant is not paused. */
export function pausedUntil({ tenant, parts }: Pick<WebRequest, 'tenant' | 'parts'>): string | null {
  const until = tenant?.status?.facts?.pause?.until ?? null;
  return until !== null && Date.parse(until) > parts.clock.now() ? until : null;
}

/** `The next run is at 2026-12-31 12:00 CET.`; null if no run is scheduled. */
export function nextRunText(request: Pick<WebRequest, 'tenant' | 'parts'>): string | null {
  const until = pausedUntil(request);
  if (until !== null) return `The tenant is paused; runs resume at ${timeText(request, until)}.`;
  const { tenant, parts } = request;
  const times = [tenant?.status?.nextMs ?? null, parts.daemon.signals.next(tenant?.name ?? '')?.atMs ?? null];
  const [nextMs = null] = times.filter((ms) => ms !== null).sort((a, b) => a - b);
  return nextMs === null ? null : `The next run is at ${timeText(request, nextMs)}.`;
}

function isoOf(at: string | number): string {
  return typeof at === 'number' ? new Date(at).toISOString() : at;
}
