import { readFileSync } from 'node:fs';
import { sha256, shortenDigest } from '../../../model/sha256.js';
import { FORM_STYLE } from '../../../report/writers/page/form-style.js';
import { type Html, html } from '../../../report/writers/page/html-text.js';
import { PAGE_STYLE } from '../../../report/writers/page/page-style.js';
import { tenantPath } from './deciding.js';
import { renderPosted } from './pages/form-parts.js';
import { nameButtons } from './pages/remedies.js';
import { moveTimesOf } from './pages/times.js';
import type { OperatorPage, WebRequest } from './route.js';

const OPERATOR_STYLE = `
.in-1 { padding-inline-start: 1.1rem; color: var(--muted); } .in-2 { padding-inline-start: 2.2rem; color: var(--muted); }
dl.said { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 .9rem; margin: .4rem 0; } .said dt { color: var(--muted); } .said dd { margin: 0; } .short { white-space: nowrap; } .lead code { overflow-wrap: anywhere; } code.head { overflow-wrap: anywhere; } pre.lines { counter-reset: line; padding-inline-start: 0; } pre.lines span { counter-increment: line; display: inline-block; width: 100%; padding-inline-start: 3.4rem; text-indent: -2.9rem; } pre.lines span::before { content: counter(line); display: inline-block; width: 2.4rem; margin-inline-end: .5rem; text-indent: 0; text-align: end; color: var(--muted); } .problems { padding-inline-start: 1.2rem; }
.ranges ul { margin-top: 0; } table.counts { width: auto; } table.counts td a { margin-inline-end: .9rem; }
h3.day { margin: 1.2rem 0 0; } ol.entries { list-style: none; padding: 0; margin: .5rem 0; } .entries > li { display: grid; grid-template-columns: 5.6rem minmax(0, 1fr); gap: .1rem 1rem; border-bottom: 1px solid var(--line); border-inline-start: 3px solid var(--plain); padding: .55rem .8rem; } .entries > .tone-good { border-inline-start-color: var(--good-fill); } .entries > .tone-warn { border-inline-start-color: var(--warn-fill); } .entries > .tone-bad { border-inline-start-color: var(--bad); }
.entries p { margin: 0; } .entries .when { color: var(--muted); font-variant-numeric: tabular-nums; } .told { overflow-wrap: anywhere; } .told b { font-weight: 600; } .entries .small { display: flex; flex-wrap: wrap; gap: 0 .9rem; align-items: baseline; color: var(--muted); font-size: .84em; } .entries details[open] { flex: 1 1 100%; min-width: 0; } .more > summary { color: var(--muted); margin: .7rem 0; } .entries dd { overflow-wrap: anywhere; }
.removal form.line { display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; margin: .4rem 0; }
a.quiet { color: inherit; text-decoration-style: dotted; text-underline-offset: .2em; }
.bar { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .3rem 1rem; align-items: baseline; }
.now h2 { margin: 0 0 .2rem; border: 0; padding: 0; } .now .actions { margin-bottom: .2rem; } .terminal > summary { color: var(--muted); font-size: .84em; }
.notice h3 { margin: 0 0 .2rem; } .notice p { margin: .25rem 0; }
a.button { display: inline-block; border-radius: 6px; padding: .35rem 1.1rem; background: var(--accent); color: var(--ground); font-weight: 600; text-decoration: none; }
.notice .actions { align-items: start; } .notice .actions:empty { display: none; } .notice .actions form { margin: .5rem 0 0; } .notice .actions > details { flex: 0 1 auto; } .notice .actions > details[open] { flex: 1 1 100%; }
.removal > summary { color: inherit; text-decoration: none; list-style: none; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); padding: .3rem .7rem; } .removal > summary::after { content: " ▾"; color: var(--muted); } .removal > summary::-webkit-details-marker { display: none; } .removal > summary:hover { border-color: var(--plain); }
.removal button { color: inherit; border-color: var(--line); } button.danger, .removal button.danger { color: var(--bad); border-color: var(--bad); } .removal button.main { color: var(--ground); border-color: var(--accent); } .decide .removal { display: block; } .decide .removal[open] { flex: 1 1 100%; } .plainly { padding-inline-start: 1.1rem; } .plainly li { margin: .4rem 0; }
.multiples { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(11rem, 100%), 1fr)); gap: 1.2rem 2rem; margin: .5rem 0 1.5rem; } .multiple figcaption { color: var(--muted); margin-bottom: .4rem; } .multiple figcaption b { color: var(--text); } .multiple .key { margin-top: .2rem; }
form.tools.decide .removal label { margin-inline-end: .5rem; } form.tools.decide { border: 1px solid var(--accent); border-radius: 6px; padding: .6rem .8rem; margin-bottom: .4rem; background: var(--raised); } .tools.decide label { display: inline-flex; gap: .4rem; align-items: center; } .tools.decide #reason { flex: 1 1 14rem; min-width: 0; } form.tools:not(.decide) { position: static; } .tools button.main { background: var(--accent); border-color: var(--accent); color: var(--ground); }
table.decided .c-select { width: 2.6rem; } table.decided .c-select input { width: 1.25rem; height: 1.25rem; } table.decided .c-action { width: 7.4rem; } table.decided .c-state { width: 9rem; } table.decided .c-values { width: 28%; } table.decided .c-place { width: 12%; } .tools:not(.decide) input[type=search] { flex-basis: 9rem; } .pairs { overflow-wrap: anywhere; } .change .key bdi { overflow-wrap: anywhere; } tr.change:has(input:checked) { background: var(--raised); }
@media screen and (max-width: 760px) { .entries > li { grid-template-columns: minmax(0, 1fr); } table.decided tr.change > td.c-place { display: block; } table.decided tr.change > td { width: auto; } table.decided tr.change > td.c-select { display: inline-block; margin-inline-end: .6rem; } table.decided tr.change > td.c-state { display: block; } form.tools.decide { position: sticky; } .tools.decide .main { flex: 1 1 auto; } form.line input:not([type=checkbox]) { flex: 1 1 12rem; } }
@media print { main form, .notice .actions, .bar form button, .removal, .c-select, a.button { display: none !important; } table.decided tr.change > td { break-after: auto; } table.decided .c-state { width: 8.8rem; } }
`;

const STYLE = PAGE_STYLE + FORM_STYLE + OPERATOR_STYLE;
const SCRIPT = readFileSync(new URL('./operator-script.js', import.meta.url), 'utf8');
const SCRIPT_PATH = `/script-${shortenDigest(sha256(SCRIPT))}.js`;
const STYLE_PATH = `/style-${shortenDigest(sha256(STYLE))}.css`;

/** Static files of the pages. The address of a file changes with its content. */
export const ASSETS = [
  { path: STYLE_PATH, type: 'text/css; charset=utf-8', text: STYLE },
  { path: SCRIPT_PATH, type: 'text/javascript; charset=utf-8', text: SCRIPT },
] as const;

const NAVIGATION = [
  { path: '/inbox', name: 'Inbox' },
  { path: '/', name: 'Tenants' },
] as const;

/** Pages of one tenant, relative to its own address. */
const TENANT_NAVIGATION = [
  { path: '', name: 'Overview' },
  { path: '/runs', name: 'Runs' },
  { path: '/people', name: 'People' },
  { path: '/audit', name: 'Audit' },
  { path: '/configuration', name: 'Configuration' },
] as const;

/** Renders a complete page. Without a request, for example after an unreadable address, the page has no navigation. */
export function renderPage(
  request: WebRequest | null,
  { title, under, lead, body, refresh }: OperatorPage,
  said: Html | null = null,
): string {
  const person = request?.person ?? null;
  const navigation =
    person === null
      ? null
      : html`<nav aria-label="Pages"><ul>${NAVIGATION.map((entry) => renderEntry(entry, under))}</ul></nav>`;
  const main = html`<main id="main" tabindex="-1"><h1>${title}</h1>${said}${lead === undefined ? null : html`<p class="lead">${lead}</p>`}
${body}</main>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – talent-sync</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_PATH}">
<script type="module" src="${SCRIPT_PATH}"></script>
${refresh === undefined ? null : html`<noscript><meta http-equiv="refresh" content="${refresh}"></noscript>`}
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header class="top"><div class="bar"><p class="kicker">talent-sync</p>${request === null || person === null ? null : renderPerson(request)}</div>
${navigation}${request === null ? null : renderTenant(request)}</header>
${nameButtons(moveTimesOf(request ?? { tenant: null }, main))}
</body>
</html>
`.html;
}

function renderPerson(request: WebRequest): Html {
  if (request.parts.isLocal) return html`<p class="kicker">on this machine</p>`;
  const role = request.accessTo(request.tenant?.name ?? '')?.roles.at(-1);
  const may = role === undefined ? null : html` <span class="muted">(${role})</span>`;
  const body = html`<bdi class="muted">${request.person?.name ?? ''}</bdi>${may} <button>Log out</button>`;
  return renderPosted(request, { look: 'inline', action: '/logout' }, body);
}

function renderTenant(request: WebRequest): Html | null {
  const { tenant, path } = request;
  if (tenant === null) return null;
  const base = tenantPath(request);
  const entries = TENANT_NAVIGATION.map((entry) => {
    const to = `${base}${entry.path}`;
    return renderEntry({ ...entry, path: to }, entry.path !== '' && path.startsWith(`${to}/`) ? to : path);
  });
  return html`<nav aria-label="Tenant"><ul><li><b><bdi>${tenant.name}</bdi></b></li>${entries}</ul></nav>`;
}

function renderEntry({ path, name }: { readonly path: string; readonly name: string }, under: string): Html {
  const current = path === under ? html` aria-current="page"` : null;
  return html`<li><a href="${path}"${current}>${name}</a></li>`;
}
