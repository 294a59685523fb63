import { sha256, shortenDigest } from '../../model/sha256.js';
import { FORM_STYLE } from '../../report/writers/page/form-style.js';
import { formatNumber, type Html, html } from '../../report/writers/page/html-text.js';
import { PAGE_STYLE } from '../../report/writers/page/page-style.js';
import { type AccountCounts, countRecords } from './counts.js';
import type { PageRequest, PageView } from './page.js';
import { PAGES_STYLE } from './pages-style.js';
import { formatTime } from './words.js';

export const STYLE = PAGE_STYLE + FORM_STYLE + PAGES_STYLE;

export interface Assets {
  readonly script: string;
}

/** Returns a digest of an asset's content, so that its address changes with the content. */
function markOf(text: string): string {
  return shortenDigest(sha256(text));
}

interface NavigationEntry {
  readonly path: string;
  readonly name: string;
  readonly count?: Exclude<keyof AccountCounts, 'mark'>;
}

const NAVIGATION: readonly NavigationEntry[] = [
  { path: '/', name: 'Overview' },
  { path: '/users', name: 'Users', count: 'users' },
  { path: '/offices', name: 'Offices', count: 'offices' },
  { path: '/tags', name: 'Tags', count: 'tags' },
  { path: '/customers', name: 'Customers', count: 'customers' },
  { path: '/projects', name: 'Projects', count: 'projects' },
  { path: '/proposals', name: 'Proposals', count: 'proposals' },
  { path: '/calls', name: 'Calls' },
  { path: '/mails', name: 'Mails', count: 'mails' },
  { path: '/controls', name: 'Faults and clock', count: 'faults' },
];

/** Word in the address → the message that is shown after a form was processed. */
const DONE: Readonly<Record<string, string>> = {
  save: 'Saved.',
  same: 'Nothing changed: the record already has these values.',
  add: 'Added.',
  remove: 'Removed.',
  done: 'Done.',
};

export function renderPage(page: PageRequest, view: PageView, assets: Assets): string {
  const counts = countRecords(page.parts);
  const { world } = page;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${view.title} – ${world.account.subdomain}, sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/pages/style.css?${markOf(STYLE)}">
<script type="module" src="/pages/script.js?${markOf(assets.script)}"></script>
</head>
<body data-after="${page.parts.calls.total}" data-mark="${counts.mark}">
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><p class="kicker">Sandbox of the talent service, account ${world.account.subdomain}, <time>${formatTime(world.clock.now())}</time> UTC<span id="watch" role="status"></span></p>
<nav aria-label="Pages"><ul>${NAVIGATION.map((entry) => renderEntry(entry, view.under, counts))}</ul></nav></header>
<main id="main" tabindex="-1"><h1>${view.title}</h1>${view.lead === undefined ? null : html`<p class="lead">${view.lead}</p>`}${renderNotice(page)}
${view.body}</main>
<footer><p>For talent-sync, a change made here is a colleague's change in the service: drift.</p>
<p class="screen script">Press <kbd>/</kbd> to search.</p></footer>
</body>
</html>
`.html;
}

function renderNotice({ refusal, query }: PageRequest): Html | null {
  if (refusal !== null) return html`<p class="notice tone-bad text" role="alert">${refusal.message}</p>`;
  const said = DONE[query.get('done') ?? ''];
  return said === undefined ? null : html`<p class="notice tone-good" role="status">${said}</p>`;
}

function renderEntry({ path, name, count }: NavigationEntry, under: string, counts: AccountCounts): Html {
  const current = path === under ? html` aria-current="page"` : null;
  const number =
    count === undefined ? null : html` <span class="muted" data-count="${count}">${formatNumber(counts[count])}</span>`;
  return html`<li><a href="${path}"${current}>${name}</a>${number}</li>`;
}
