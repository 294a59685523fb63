import { createServer } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { listenOnLoopback } from '../loopback.js';
import type { Yaml } from './company.js';
import type { TableRow } from './from-scratch-estates.js';

/** An HR system that lists all its people on request, or those who changed since a time. */
export interface AskedPeople {
  readonly source: Readonly<Record<string, Yaml>>;
  /** Changes its answers; null: an answer that nobody can read. */
  show(rows: readonly TableRow[] | null): void;
}

export async function openAskedPeople(
  now: () => number,
  columns: Readonly<Record<string, Yaml>>,
): Promise<AskedPeople> {
  let shown: readonly TableRow[] | null = [];
  const changedAt = new Map<Yaml | undefined, { readonly row: TableRow; readonly at: string }>();
  const stamp = (row: TableRow): TableRow => {
    const known = changedAt.get(row.id);
    const changed = isDeepStrictEqual(known?.row, row) ? known : { row, at: new Date(now()).toISOString() };
    if (changed !== undefined) changedAt.set(row.id, changed);
    return { ...row, changed: changed?.at ?? '' };
  };
  const server = createServer((request, response) => {
    const since = new URL(request.url ?? '', 'http://localhost').searchParams.get('since') ?? '';
    const rows = shown?.filter(({ changed }) => String(changed) >= since);
    response.setHeader('content-type', 'application/json');
    response.end(rows === undefined ? '{"people": [' : JSON.stringify({ people: rows, count: rows.length }));
  });
  return {
    source: {
      type: 'crm',
      base_url: await listenOnLoopback(server),
      auth: { bearer: { env: 'CRM_TOKEN' } },
      streams: {
        people: {
          path: '/people',
          rows: '/people',
          next: 'none',
          total: '/count',
          incremental: { full_every: '24h', modified: '/changed', parameter: 'since' },
          key: 'id',
          columns,
        },
      },
    },
    show(rows) {
      shown = rows?.map(stamp) ?? null;
    },
  };
}
