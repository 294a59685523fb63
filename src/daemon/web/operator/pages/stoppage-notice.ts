import type { Problem } from '../../../../base/errors.js';
import { formatAge } from '../../../../report/sections/words.js';
import { formatNumber, type Html, html } from '../../../../report/writers/page/html-text.js';
import { listStoppages, type Stoppage, type StoppageKind } from '../../../tenants/stoppages.js';
import { tenantPath } from '../deciding.js';
import type { Reading } from '../reading.js';
import type { WebRequest } from '../route.js';
import { renderTime } from './times.js';

interface StopWords {
  readonly title: string;
  /** How long the tenant stays stopped. */
  readonly outcome: string;
  /** The tenant's page where the cause can be fixed, and the text of the link. */
  readonly page: readonly [path: string, words: string];
}

const CONFIGURATION = ['/configuration', 'Look at the configuration'] as const;
const TENANT = ['', 'Look at the tenant'] as const;

const WORDS: Readonly<Record<StoppageKind, StopWords>> = {
  rejected: {
    title: 'The configuration is rejected',
    outcome: 'The tenant does not run until the file is fixed.',
    page: CONFIGURATION,
  },
  edited: {
    title: 'The edited configuration is rejected',
    outcome: 'The earlier configuration stays active until the file is fixed.',
    page: CONFIGURATION,
  },
  stopped: {
    title: 'The tenant is stopped',
    outcome: 'It does not run until somebody has fixed its state and restarted the daemon.',
    page: TENANT,
  },
  broken: {
    title: 'The state cannot be used',
    outcome: 'The tenant does not run. The daemon keeps trying.',
    page: TENANT,
  },
  locked: {
    title: 'Another process holds the state',
    outcome: 'The tenant does not run until that process ends.',
    page: TENANT,
  },
  paused: { title: 'Paused', outcome: 'Nothing is planned or written until then.', page: TENANT },
};

/** Number of listed problems of a rejected configuration. The configuration page lists all of them. */
const SHOWN_REASONS = 3;

export function titleStoppage({ kind }: Stoppage): string {
  return WORDS[kind].title;
}

export function stoppagePath(request: Pick<WebRequest, 'tenant'>, { kind }: Stoppage): string {
  return `${tenantPath(request)}${WORDS[kind].page[0]}`;
}

/** The cause of a stoppage, and how it ends. */
export function renderStoppageCause(of: Pick<WebRequest, 'tenant'>, stop: Stoppage, reading: Reading): Html {
  return html`${renderReasons(of, stop, reading)}<p class="muted">${WORDS[stop.kind].outcome}</p>`;
}

function renderReasons(of: Pick<WebRequest, 'tenant'>, stop: Stoppage, { show }: Reading): Html {
  if (stop.kind === 'paused') {
    const { until, by, reason } = stop.pause;
    return html`<p class="text">Runs resume at ${renderTime(of, until)}. Paused by ${show(by)}: ${show(reason)}</p>`;
  }
  if (!('problem' in stop)) return html`<p class="text">${show(stop.because ?? 'No reason is known.')}</p>`;
  const { message, problems } = stop.problem;
  const more = problems.length - SHOWN_REASONS;
  const rows = problems
    .slice(0, SHOWN_REASONS)
    .map((one: Problem) => html`<li><code>${one.place}</code>: ${show(one.message)}</li>`);
  const rest = more > 0 ? html`<li class="muted">… and ${formatNumber(more)} more</li>` : null;
  return html`<p class="text">${show(message)}</p>${rows.length === 0 ? null : html`<ul class="problems">${rows}${rest}</ul>`}`;
}

/** Notices at the top of the tenant's page. A pause has a separate notice with a form. */
export function renderStoppages(request: WebRequest, reading: Reading): Html | null {
  const { tenant, parts } = request;
  if (tenant === null) return null;
  const nowMs = parts.clock.now();
  const stops = listStoppages(tenant, nowMs).filter(({ kind }) => kind !== 'paused');
  return html`${stops.map((stop) => {
    const age = stop.since === null ? null : `, for ${formatAge(nowMs - Date.parse(stop.since))}`;
    const [path, words] = WORDS[stop.kind].page;
    const link = path === '' ? null : html`<p><a href="${stoppagePath(request, stop)}">${words}</a></p>`;
    return html`<div class="notice tone-bad" role="status"><h3>${titleStoppage(stop)}${age}</h3>${renderStoppageCause(request, stop, reading)}${link}</div>`;
  })}`;
}
