import { createHash } from 'node:crypto';
import { isoNow } from '../../clock.js';
import type { ScimSourceConfig } from '../../config/config.js';
import { canonicalJson, isJsonObject, type Json } from '../../model/json.js';
import type { ReadEvidence } from '../../model/source.js';
import { findAttribute, flattenUser } from '../../scim/flatten-user.js';
import type { Connector, ConnectorContext } from '../connector.js';
import { compileObjectReader } from '../records.js';
import { buildRowSink, judgeCompleteness, type RowSink } from '../row-sink.js';
import { createUsersFetcher, type FetchUsers } from './client.js';

/** A provider that always has one more page is broken; at 100 a page this is a million users. */
const MOST_PAGES = 10_000;

/** The users of an identity provider, over SCIM 2.0. */
export function createScimConnector(name: string, config: ScimSourceConfig, context: ConnectorContext): Connector {
  const fetchUsers = createUsersFetcher(config, context);
  const columns = Object.keys(config.columns);
  const readRow = compileObjectReader({
    source: name,
    key: config.key,
    columns: config.columns,
    timezone: context.timezone,
  });

  function deliver(user: Json, at: string, position: number, sink: RowSink): void {
    const place = { source: name, at, line: position };
    const row = readRow(isJsonObject(user) ? flattenUser(user, columns) : user, place);
    if ('record' in row) sink.accept(row.record);
    else sink.reject(row.rejected);
  }

  async function readAll(sink: RowSink, signal?: AbortSignal): Promise<Pass> {
    const delivered = new Set<string>();
    const deliverRow: DeliverRow = (user, at, position) => deliver(user, at, position, sink);
    const first = await readPass(fetchUsers, config.pageSize, delivered, deliverRow, signal);
    // A user without an id stays without one however often it is read, and could not be told from the same one read again.
    if (first.because === null || first.withoutId > 0) return first;
    // People came or went while pages were read. Once more; those already delivered are not delivered twice.
    return readPass(fetchUsers, config.pageSize, delivered, deliverRow, signal);
  }

  return {
    name,
    read: async (take, signal) => {
      const readAt = isoNow(context.clock);
      const sink = buildRowSink(take);
      const pass = await readAll(sink, signal);
      sink.flush();
      const incompleteBecause = judgeCompleteness(sink.counts, pass.because);
      const evidence: ReadEvidence = {
        source: name,
        delivery: readAt,
        kind: 'live',
        at: pass.at.replace(/\?.*$/, ''),
        readAt,
        rows: sink.counts.rows,
        rejected: sink.counts.rejected,
        complete: incompleteBecause === null,
        ...(incompleteBecause === null ? {} : { incompleteBecause }),
        digest: pass.digest,
      };
      return evidence;
    },
    probe: async (signal) => {
      const page = await fetchUsers(1, 1, signal);
      const total = page.totalResults === null ? 'an unknown number of' : String(page.totalResults);
      return { at: page.at.replace(/\?.*$/, ''), detail: `${total} users` };
    },
    close: async () => {},
  };
}

interface Pass {
  readonly at: string;
  /** Why it does not prove itself whole, null when it does. */
  readonly because: string | null;
  readonly withoutId: number;
  readonly digest: string;
}

type DeliverRow = (user: Json, at: string, position: number) => void;

/**
 * All pages, once. Servers cap `count` as they like, so the next page begins after the rows that came. Users created or deleted
 * meanwhile shift the pages, so that one can come twice or not at all: the pass proves itself whole only when the distinct ids are as many
 * as the server said, on the first page and on the last.
 */
async function readPass(
  fetchUsers: FetchUsers,
  pageSize: number,
  delivered: Set<string>,
  deliver: DeliverRow,
  signal?: AbortSignal,
): Promise<Pass> {
  const hash = createHash('sha256');
  const seen = new Set<string>();
  let startIndex = 1;
  let firstTotal: number | null = null;
  let withoutId = 0;
  for (let pages = 1; ; pages++) {
    const page = await fetchUsers(startIndex, pageSize, signal);
    if (pages === 1) firstTotal = page.totalResults;
    let news = 0;
    for (const [index, user] of page.rows.entries()) {
      const id = isJsonObject(user) ? readId(findAttribute(user, 'id')) : null;
      if (id !== null && seen.has(id)) continue;
      news++;
      hash.update(canonicalJson(user));
      if (id === null) {
        withoutId++;
      } else {
        seen.add(id);
        if (delivered.has(id)) continue;
        delivered.add(id);
      }
      deliver(user, page.at, startIndex + index);
    }
    startIndex += page.rows.length;
    const isLast = news === 0 || (page.totalResults !== null && startIndex > page.totalResults);
    if (!isLast && pages < MOST_PAGES) continue;
    return {
      at: page.at,
      because: judgePass(seen.size, withoutId, firstTotal, page.totalResults, isLast),
      withoutId,
      digest: hash.digest('hex'),
    };
  }
}

function judgePass(
  unique: number,
  withoutId: number,
  firstTotal: number | null,
  lastTotal: number | null,
  isLast: boolean,
): string | null {
  if (!isLast) return `more than ${MOST_PAGES} pages`;
  if (withoutId > 0) return `${withoutId} users came without an id, so nobody can be shown to be missing`;
  if (firstTotal === null || lastTotal === null)
    return 'the provider does not say how many users there are (totalResults)';
  if (firstTotal !== lastTotal) return `totalResults changed from ${firstTotal} to ${lastTotal} during the read`;
  if (unique !== firstTotal) return `${unique} different users came, the provider counts ${firstTotal}`;
  return null;
}

function readId(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
