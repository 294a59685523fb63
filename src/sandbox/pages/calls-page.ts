import { formatNumber, type Html, html, value } from '../../report/writers/page/html-text.js';
import type { World } from '../account/world.js';
import type { LoggedCall } from '../server/call-log.js';
import { renderButton } from './form-fields.js';
import { cutPart, PAGE_SIZE, readFrom, renderPager, renderSearch, renderTable } from './lists.js';
import type { PageParts, PageRequest, PageRoute } from './page.js';
import { renderSection } from './record-parts.js';
import type { ShownCall } from './shown-call.js';
import { listRoleOptions } from './users-page.js';
import { formatTime, nameOf, pathTo } from './words.js';

export function showCall(world: World, call: LoggedCall): ShownCall {
  const { method, path, query, status, ms, by, at } = call;
  const whole = query === undefined ? path : `${path}?${query}`;
  return { at: formatTime(at), method, path: whole, status, ms, by, about: findSubject(world, path) };
}

type CallSubject = ShownCall['about'];

/** Path pattern → lookup of the record with the id in the path. The most specific pattern comes first. */
const SUBJECTS: readonly [path: RegExp, find: (world: World, id: string) => CallSubject][] = [
  [/\/projects\/([0-9a-f]{24})/, nameProject],
  [/\/customers\/([0-9a-f]{24})/, nameCustomer],
  [/\/offers\/([0-9a-f]{24})/, nameProposal],
  [/\/cvs\/(?:download\/)?([0-9a-f]{24})/, nameCv],
  [/\/users\/([0-9a-f]{24})/, nameUser],
];

function findSubject(world: World, path: string): CallSubject {
  for (const [form, find] of SUBJECTS) {
    const id = form.exec(path)?.[1];
    if (id !== undefined) return find(world, id);
  }
  return null;
}

function nameUser({ store }: World, id: string): CallSubject {
  const user = store.users.get(id);
  return user ? { name: user.name === '' ? user.email : user.name, address: pathTo('users', id) } : null;
}

function nameCv(world: World, userId: string): CallSubject {
  const user = world.store.users.get(userId);
  return user ? { name: `CV of ${user.name}`, address: pathTo('cvs', user.default_cv_id) } : null;
}

function nameCustomer({ store, account }: World, id: string): CallSubject {
  const customer = store.customers.get(id);
  return customer
    ? { name: nameOf(customer.customer_name, account.languages), address: pathTo('customers', id) }
    : null;
}

function nameProject({ store, account }: World, id: string): CallSubject {
  const project = store.projects.get(id);
  return project
    ? { name: nameOf(project.texts.project_name, account.languages), address: pathTo('projects', id) }
    : null;
}

function nameProposal({ store }: World, id: string): CallSubject {
  const proposal = store.proposals.get(id);
  return proposal ? { name: proposal.name, address: pathTo('proposals', id) } : null;
}

const COLUMNS = [
  { name: 'Call' },
  { name: 'About' },
  { name: 'Status' },
  { name: 'ms', isNumber: true },
  { name: 'By' },
  { name: 'At' },
] as const;

/** Returns the tone of a status. pages-script.js has the same function. */
function toneOf(status: number): string {
  if (status === 0 || status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'good';
}

/** Renders calls, the newest first. The script adds new calls to this table. */
export function renderCalls({ world }: PageParts, calls: readonly LoggedCall[]): Html {
  const rows = calls.toReversed().map((call) => {
    const { at, method, path, status, ms, by, about } = showCall(world, call);
    return [
      html`<span class="call"><b>${method}</b> <code>${path}</code></span>`,
      about === null ? html`` : html`<a href="${about.address}">${value(about.name)}</a>`,
      html`<span class="badge tone-${toneOf(status)}">${status === 0 ? 'no answer' : status}</span>`,
      html`${ms}`,
      value(by === '' ? 'unknown key' : by),
      html`<time>${at}</time>`,
    ];
  });
  return html`<div class="calls" data-calls>${renderTable(COLUMNS, rows)}</div>`;
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];

function isAsked({ query }: PageRequest): (call: LoggedCall) => boolean {
  const [text, method, outcome] = ['q', 'method', 'outcome'].map((name) => query.get(name) ?? '');
  return (call) =>
    (text === '' || `${call.path}?${call.query ?? ''} ${call.by} ${call.requestId}`.includes(text ?? '')) &&
    (method === '' || (method === 'writes' ? call.method !== 'GET' : call.method === method)) &&
    (outcome === '' || (outcome === 'failed') === (call.status === 0 || call.status >= 400));
}

export const CALLS_PAGE: PageRoute = {
  path: '/calls',
  show: (page) => {
    const { calls } = page.parts;
    const from = readFrom(page);
    const found = calls.list().filter(isAsked(page));
    const part = cutPart(
      found
        .slice(0, found.length - from)
        .slice(-PAGE_SIZE - 1)
        .toReversed(),
      from,
      found.length,
    );
    const counts = Object.entries(calls.count()).sort(([, a], [, b]) => b - a);
    const search = renderSearch(page, 'Path, key or request id', [
      { name: 'method', label: 'Any method', options: listRoleOptions(['writes', ...METHODS]) },
      { name: 'outcome', label: 'Any answer', options: listRoleOptions(['successful', 'failed']) },
    ]);
    const isAll = from === 0 && ['q', 'method', 'outcome'].every((name) => (page.query.get(name) ?? '') === '');
    const list = renderCalls(page.parts, part.shown.toReversed());
    const rows = counts.map(([name, count]) => [html`<code>${name}</code>`, html`${formatNumber(count)}`]);
    return {
      title: 'Calls',
      under: '/calls',
      lead: html`All requests to the service, newest first. Your actions on these pages are not listed.`,
      body: html`${search}${renderPager(page, part, 'calls')}${isAll || part.shown.length > 0 ? html`<div${isAll ? html` data-watch` : null}>${list}</div>` : null}
${rows.length === 0 ? null : renderSection('By endpoint', renderTable([{ name: 'Endpoint' }, { name: 'Calls', isNumber: true }], rows))}
${renderButton('clear', 'Clear all calls')}`,
    };
  },
  actions: {
    clear: ({ parts }) => parts.calls.clear(),
  },
};
