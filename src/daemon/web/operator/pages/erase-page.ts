import { mayActAs } from '../../../../config/access/roles.js';
import { ERASE, PREVIEW_ERASURE } from '../../../../operations/under-lock.js';
import { renderField } from '../../../../report/writers/page/form-parts.js';
import { type Html, html, value } from '../../../../report/writers/page/html-text.js';
import { demandReason, fieldOf, perform, requireNames, tenantPath } from '../deciding.js';
import { type OperatorPage, WebRefusal, type WebRequest, type WebRoute } from '../route.js';
import { renderPosted, whyField } from './form-parts.js';

const PATH = '/tenants/:tenant/people/:kind/:key/erase';

/** Erases a person, as `audit erase` does. The page lists everything first, and the operator must type the name. */
export const ERASE_ROUTES: readonly WebRoute[] = [
  { method: 'GET', path: PATH, audience: 'privacy', answer: showPreview },
  { method: 'POST', path: PATH, audience: 'privacy', answer: erase },
];

/** A link to the erase page; for people who may not erase anyone, a sentence about the role that they need. */
export function renderEraseLink(request: WebRequest, key: string): Html {
  const { accessTo, tenant } = request;
  const access = accessTo(tenant?.name ?? '');
  if (!mayActAs(access, 'privacy')) return html`<p class="muted">Erasing a person needs the role privacy.</p>`;
  if (access?.pseudonyms === true)
    return html`<p class="muted">You see people under pseudonyms, so you cannot erase anyone.</p>`;
  return html`<p><a href="${erasePath(request, key)}">Erase this person</a> <span class="muted">shows first what would be erased</span></p>`;
}

function erasePath(request: WebRequest, key: string): string {
  return `${tenantPath(request)}/people/user/${encodeURIComponent(key)}/erase`;
}

/** The person's key in the address. */
function personOf(request: WebRequest): string {
  const { kind = '', key = '' } = request.params;
  if (kind !== 'user') throw new WebRefusal(404, 'Only people are erased.');
  requireNames(request);
  return key;
}

async function showPreview(request: WebRequest): Promise<OperatorPage> {
  const person = personOf(request);
  const { names, emails, lines, first } = await perform(request, PREVIEW_ERASURE, { person });
  const [name = ''] = [...names, ...emails];
  const typed = { id: 'name', name: 'name', required: true, maxlength: 200, autocomplete: 'off', spellcheck: 'false' };
  const said =
    first === null
      ? null
      : html`<p class="notice">${value(first)} has requested the erasure. A second person must confirm it.</p>`;
  const why = renderField('Why: name the case, not the person', whyField('why'));
  const body = html`<div class="fields">${renderField(`Type the name to confirm: ${name}`, typed)}
${why}</div><p><button class="danger">Erase permanently</button></p>`;
  const form = { look: 'record', action: erasePath(request, person) } as const;
  return {
    title: `Erase ${name}`,
    under: '/',
    lead: html`This erases what talent-sync stores about the person. The service, HR and the other systems keep their own data. Nothing has been erased yet, and an erasure cannot be undone.`,
    body: html`${said}${renderLines(lines)}${renderPosted(request, form, body)}`,
  };
}

/** Renders lines. Warnings stand out, and details of a line are indented. */
function renderLines(lines: readonly string[]): Html {
  const shown = lines.map((line) => {
    if (line.startsWith('! ')) return html`<p class="notice tone-warn text">${value(line.slice(2))}</p>`;
    return html`<p class="text in-${line.startsWith('    ') ? 2 : Number(line.startsWith('  '))}">${value(line.trim())}</p>`;
  });
  return html`<section aria-label="What is stored">${shown}</section>`;
}

async function erase(request: WebRequest): Promise<OperatorPage> {
  const person = personOf(request);
  const word = { person, name: fieldOf(request, 'name'), reason: demandReason(request) };
  const { erasure, lines, left } = await perform(request, ERASE, word);
  const back = html`<p><a href="${tenantPath(request)}/audit?kind=erasures">The erasures in the audit</a></p>`;
  if (erasure === null) {
    const lead = html`Two people are needed: another person with this role must confirm the erasure on the same page.`;
    return { title: 'Requested, not erased yet', under: '/', lead, body: back };
  }
  const files =
    left === 0
      ? null
      : html`<p class="notice tone-warn">Files that still contain the person, as listed on the previous page: ${String(left)}. Delete them yourself.</p>`;
  const rest = html`<p>The erasure does not reach backups and exports elsewhere, delivered reports, logs or the service itself. The audit log is still intact.</p>`;
  return {
    title: 'Erased',
    under: '/',
    lead: html`<code>${erasure}</code>`,
    body: html`<ul class="plainly">${lines.map((line) => html`<li>${line}</li>`)}</ul>${files}${rest}${back}`,
  };
}
