import { createServer } from 'node:http';
import { listenOnLoopback } from '../loopback.js';
import { CRM, CRM_RECORDS, merge, type Yaml } from '../scenarios/company.js';
import type { Story } from '../scenarios/kit.js';
import type { Settings } from './history.js';
import { PAGE_SIZE } from './idp.js';

type Row = { readonly id: string; readonly [column: string]: Yaml };
type Stream = 'companies' | 'deals';

interface Crm {
  /** Rows by key, in the order in which they came. */
  readonly streams: Readonly<Record<Stream, Map<string, Row>>>;
}

const crms = new WeakMap<Story, Crm>();

/** A CRM that lists its records a few on a page, all of them or those that changed since a time. Answers its address. */
export async function openCrm(story: Story): Promise<string> {
  const crm: Crm = { streams: { companies: new Map(), deals: new Map() } };
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${story.env.CRM_TOKEN}`) return answer(401, {});
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://crm');
    const rows = crm.streams[pathname.slice(1) as Stream];
    if (rows === undefined) return answer(404, {});
    const since = searchParams.get('since') ?? '';
    const listed = [...rows.values()].filter(({ modified }) => String(modified) >= since);
    const [from, end] = [0, PAGE_SIZE].map((more) => Number(searchParams.get('after') ?? 0) + more);
    answer(200, {
      rows: listed.slice(from, end),
      total: listed.length,
      next: listed[end ?? 0] === undefined ? null : end,
    });
  });
  crms.set(story, crm);
  return listenOnLoopback(server);
}

/** What the CRM has from now on, in a new file or in its answers. */
export function deliverToCrm(story: Story, stream: Stream, rows: readonly Row[]): void {
  const crm = crms.get(story);
  if (crm === undefined) {
    if (stream === 'companies') story.deliverCompanies(rows);
    else story.deliverDeals(rows);
    return;
  }
  const known = crm.streams[stream];
  const modified = new Date(story.clock.now()).toISOString();
  const put = (row: Row): void => {
    const was = known.get(row.id);
    if (JSON.stringify({ ...row, modified: was?.modified }) !== JSON.stringify(was))
      known.set(row.id, { ...row, modified });
  };
  const ids = new Set(rows.map(({ id }) => id));
  for (const row of known.values()) if (!ids.has(row.id)) put({ ...row, gone: true });
  for (const row of rows) put({ ...row, gone: false });
}

const PAGES = { rows: '/rows', total: '/total', next: { token: '/next', parameter: 'after' }, deleted: '/gone' };
const CHANGES = { full_every: '24h', modified: '/modified', parameter: 'since' };

/** How the CRM is reached: by its files, by lists of all its records, or of those that changed. */
export function describeCrm({ crm }: Settings): Yaml {
  if (crm === 'files') return CRM;
  const stream = { ...PAGES, ...(crm === 'changes' ? { incremental: CHANGES } : {}) };
  const streams = { companies: { path: '/companies', ...stream }, deals: { path: '/deals', ...stream } };
  return merge(CRM_RECORDS, { sources: { crm: { auth: { bearer: { env: 'CRM_TOKEN' } }, timeout: '1s', streams } } });
}
