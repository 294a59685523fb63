import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { listenOnLoopback } from '../loopback.js';
import { CRM, CRM_RECORDS, merge, type Yaml } from '../scenarios/company.js';
import type { Story } from '../scenarios/kit.js';
import type { Settings } from './history.js';
import { PAGE_SIZE } from './idp.js';
import { keepTold, readFiles, showTold, type ToldCells } from './told.js';

type Row = { readonly id: string; readonly [column: string]: Yaml };
type Stream = 'companies' | 'deals';

interface Crm {
  /** Rows by key, in the order of arrival. */
  readonly streams: Readonly<Record<Stream, Map<string, Row>>>;
}

const crms = new WeakMap<Story, Crm>();

/** A CRM that lists its records in small pages, all or those changed since a time, and takes written-back values. */
export async function openCrm(story: Story): Promise<string> {
  const crm: Crm = { streams: { companies: new Map(), deals: new Map() } };
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${story.env.CRM_TOKEN}`) return answer(401, {});
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://crm');
    const [, stream, key] = pathname.split('/') as [string, Stream, string?];
    const rows = crm.streams[stream];
    if (key === undefined) return answer(200, listRows([...rows.values()], searchParams));
    const row = rows.get(key);
    if (row === undefined || row.gone === true) return answer(404, {});
    const cells = (await json(request)) as ToldCells;
    keepTold(story, `crm.${stream}`, key, cells);
    showTold(story, `crm.${stream}`, key);
    rows.set(key, { ...row, ...cells, modified: nowOf(story) });
    answer(200, {});
  });
  crms.set(story, crm);
  return listenOnLoopback(server);
}

function nowOf({ clock }: Story): string {
  return new Date(clock.now()).toISOString();
}

function listRows(rows: readonly Row[], asked: URLSearchParams): object {
  const since = asked.get('since') ?? '';
  const listed = rows.filter(({ modified }) => String(modified) >= since);
  const from = Number(asked.get('after') ?? 0);
  const end = from + PAGE_SIZE;
  return { rows: listed.slice(from, end), total: listed.length, next: end < listed.length ? end : null };
}

/** Sets the contents of the CRM from now on, in a new file or in its answers. */
export function deliverToCrm(story: Story, stream: Stream, rows: readonly Row[]): void {
  readFiles(story);
  const shown = rows.map((row) => ({ ...row, ...showTold(story, `crm.${stream}`, row.id) }));
  const crm = crms.get(story);
  if (crm !== undefined) changeRows(crm.streams[stream], shown, nowOf(story));
  else if (stream === 'companies') story.deliverCompanies(shown);
  else story.deliverDeals(shown);
}

function changeRows(known: Map<string, Row>, rows: readonly Row[], modified: string): void {
  const put = (row: Row): void => {
    if (!isDeepStrictEqual(known.get(row.id), { ...row, modified: known.get(row.id)?.modified }))
      known.set(row.id, { ...row, modified });
  };
  const ids = new Set(rows.map(({ id }) => id));
  for (const row of known.values()) if (!ids.has(row.id)) put({ ...row, gone: true });
  for (const row of rows) put({ ...row, gone: false });
}

const PAGES = { rows: '/rows', total: '/total', next: { token: '/next', parameter: 'after' }, deleted: '/gone' };
const CHANGES = { full_every: '24h', modified: '/modified', parameter: 'since' };

/** The access to the CRM: by its files, by lists of all its records, or of changed ones. */
export function describeCrm({ crm }: Settings): Yaml {
  if (crm === 'files') return CRM;
  const stream = { ...PAGES, ...(crm === 'changes' ? { incremental: CHANGES } : {}) };
  const streams = { companies: { path: '/companies', ...stream }, deals: { path: '/deals', ...stream } };
  return merge(CRM_RECORDS, { sources: { crm: { auth: { bearer: { env: 'CRM_TOKEN' } }, timeout: '1s', streams } } });
}
