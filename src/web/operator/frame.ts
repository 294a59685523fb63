import { sha256 } from '../../model/sha256.js';
import { FORM_STYLE } from '../../report/writers/page/form-style.js';
import { type Html, html } from '../../report/writers/page/html-text.js';
import { PAGE_STYLE } from '../../report/writers/page/page-style.js';
import type { OperatorPage, WebRequest } from './route.js';

const OPERATOR_STYLE = `
header.top form { display: inline; }
a.button { display: inline-block; border-radius: 6px; padding: .35rem 1.1rem; background: var(--accent); color: var(--ground); font-weight: 600; text-decoration: none; }
`;

const STYLE = PAGE_STYLE + FORM_STYLE + OPERATOR_STYLE;
const STYLE_PATH = `/style-${sha256(STYLE).slice(0, 12)}.css`;

/** Files of the pages; their addresses change with their content. */
export const ASSETS = [{ path: STYLE_PATH, type: 'text/css; charset=utf-8', text: STYLE }] as const;

const NAVIGATION = [{ path: '/', name: 'Tenants' }] as const;

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
<header class="top"><p class="kicker">talent-sync${request === null || person === null ? null : renderPerson(request)}</p>
${navigation}</header>
<main id="main" tabindex="-1"><h1>${title}</h1>${lead === undefined ? null : html`<p class="lead">${lead}</p>`}
${body}</main>
</body>
</html>
`.html;
}

function renderPerson({ person, csrf, parts }: WebRequest): Html {
  if (parts.isLocal) return html`, on this machine`;
  return html`, <bdi>${person?.name ?? ''}</bdi> <form class="inline" method="post" action="/logout"><input type="hidden" name="_csrf" value="${csrf()}"><button>Log out</button></form>`;
}

function renderEntry({ path, name }: (typeof NAVIGATION)[number], under: string): Html {
  const current = path === under ? html` aria-current="page"` : null;
  return html`<li><a href="${path}"${current}>${name}</a></li>`;
}
