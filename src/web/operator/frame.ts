import { sha256 } from '../../model/sha256.js';
import { FORM_STYLE } from '../../report/writers/page/form-style.js';
import { type Html, html } from '../../report/writers/page/html-text.js';
import { PAGE_STYLE } from '../../report/writers/page/page-style.js';
import { tenantPath } from './deciding.js';
import type { OperatorPage, WebRequest } from './route.js';

const OPERATOR_STYLE = `
.bar { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .3rem 1rem; align-items: baseline; }
.notice h3 { margin: 0 0 .2rem; } .notice p { margin: .25rem 0; }
a.button { display: inline-block; border-radius: 6px; padding: .35rem 1.1rem; background: var(--accent); color: var(--ground); font-weight: 600; text-decoration: none; }
`;

const STYLE = PAGE_STYLE + FORM_STYLE + OPERATOR_STYLE;
const STYLE_PATH = `/style-${sha256(STYLE).slice(0, 12)}.css`;

/** Files of the pages; their addresses change with their content. */
export const ASSETS = [{ path: STYLE_PATH, type: 'text/css; charset=utf-8', text: STYLE }] as const;

const NAVIGATION = [
  { path: '/inbox', name: 'Inbox' },
  { path: '/', name: 'Tenants' },
] as const;

/** Of one tenant, after its own address. */
const TENANT_NAVIGATION = [
  { path: '', name: 'Overview' },
  { path: '/audit', name: 'Audit' },
] as const;

/** A whole page. Without a request, as for an address that cannot be read, there is no navigation. */
export function renderPage(request: WebRequest | null, { title, under, lead, body }: OperatorPage): string {
  const person = request?.person ?? null;
  const navigation =
    person === null
      ? null
      : html`<nav aria-label="Pages"><ul>${NAVIGATION.map((entry) => renderEntry(entry, under))}</ul></nav>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – talent-sync</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header class="top"><div class="bar"><p class="kicker">talent-sync</p>${request === null || person === null ? null : renderPerson(request)}</div>
${navigation}${request === null ? null : renderTenant(request)}</header>
<main id="main" tabindex="-1"><h1>${title}</h1>${lead === undefined ? null : html`<p class="lead">${lead}</p>`}
${body}</main>
</body>
</html>
`.html;
}

function renderPerson({ person, csrf, parts }: WebRequest): Html {
  if (parts.isLocal) return html`<p class="kicker">on this machine</p>`;
  return html`<form class="inline" method="post" action="/logout"><input type="hidden" name="_csrf" value="${csrf()}"><bdi class="muted">${person?.name ?? ''}</bdi> <button>Log out</button></form>`;
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
