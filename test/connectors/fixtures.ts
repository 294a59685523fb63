import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import { openHttpSockets } from '../../src/base/http/http-sockets.js';
import type { Connector, ConnectorContext } from '../../src/connectors/connector.js';
import type { CsvSourceConfig } from '../../src/connectors/csv/kind.js';
import { createTransferLimit } from '../../src/connectors/drop/open-store.js';
import type { FileRules } from '../../src/connectors/drop/resolve-file-rules.js';
import type { FileStreamConfig } from '../../src/connectors/drop/resolve-file-stream.js';
import { createPace } from '../../src/connectors/http/pace.js';
import type { HttpAccess } from '../../src/connectors/http/resolve-http.js';
import type { ListedStreamConfig } from '../../src/connectors/listed/listed-stream.js';
import type { ScimSourceConfig } from '../../src/connectors/scim/resolve.js';
import { SCIM_COLUMNS } from '../../src/connectors/scim-protocol/columns.js';
import type { Column, Columns, ColumnTypeName } from '../../src/model/column.js';
import type { PushedReader } from '../../src/model/pushed.js';
import type { ReadEvidence, RecordBatch, RejectedRow, SourceRecord } from '../../src/model/source.js';
import { listenOnLoopback } from '../loopback.js';
import { openTestStores } from '../samples.js';

/** An hour after every file that `writeFileIn` creates, so that files count as settled. */
export const NOW = Date.UTC(2026, 0, 1, 13);
export const FILE_TIME = Date.UTC(2026, 0, 1, 12);

/** No authentication, no proxy, public certificate authorities. */
export const OPEN_ACCESS: HttpAccess = {
  auth: null,
  tls: null,
  proxy: null,
  unusedProxy: null,
  timeoutMs: 60_000,
  maxAnswerBytes: null,
};

/** No rules that a file must meet. */
export const NO_RULES: FileRules = {
  manifest: null,
  trailer: null,
  maxBadShare: null,
  shrinkPercent: null,
  parts: null,
  newest: 'name',
  after: 'leave',
  rejects: null,
  followLinks: false,
  staleAfterMs: null,
  aliases: {},
};

export interface TestContext extends ConnectorContext {
  readonly slept: number[];
}

export function buildContext(onSleep: (ms: number) => void | Promise<void> = () => {}): TestContext {
  const slept: number[] = [];
  const clock = {
    now: () => NOW,
    sleep: async (ms: number) => {
      slept.push(ms);
      await onSleep(ms);
    },
  };
  return {
    slept,
    clock,
    pace: createPace(clock),
    knownRows: openTestStores().sourceRows,
    filledColumns: openTestStores().filledColumns,
    downloads: join(tmpdir(), 'talent-sync-downloads'),
    deliveries: {
      rowsBefore: () => null,
      rowsAfterCut: () => null,
      endsLines: () => false,
      isApproved: () => false,
      isTaken: () => false,
      sameSince: () => null,
      replacedContent: () => null,
      unchangedSince: noteLooks(),
    },
    onUnsettled: () => undefined,
    limitTransfers: createTransferLimit(),
    timezone: 'Europe/Oslo',
    openSockets: openHttpSockets,
  };
}

/** Remembers when a file was first seen unchanged, like a state. */
export function noteLooks(): ConnectorContext['deliveries']['unchangedSince'] {
  const looks = new Map<string, number>();
  return (source, name, print, nowMs) => {
    const look = [source, name, print].join('/');
    const since = looks.get(look) ?? nowMs;
    looks.set(look, since);
    return since;
  };
}

/** A state without pushed people. */
export const NOTHING_PUSHED: PushedReader = {
  readUsers: () => ({ users: [], next: null }),
  readGone: () => [],
  count: () => ({ users: 0, groups: 0, lastPush: null }),
};

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'talent-sync-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function writeFileIn(
  folder: string,
  name: string,
  content: string | Buffer,
  timeMs = FILE_TIME,
): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  await utimes(path, timeMs / 1000, timeMs / 1000);
  return path;
}

export function column(type: ColumnTypeName, rest: Partial<Column> = {}): Column {
  return { type, optional: false, format: null, trueWords: null, separator: ',', ...rest };
}

export const PEOPLE: Columns = {
  id: column('string'),
  name: column('string'),
  age: column('int', { optional: true }),
};

export function csvConfig(drop: string, rest: Partial<CsvSourceConfig> = {}): CsvSourceConfig {
  return {
    type: 'csv',
    drop,
    sftp: null,
    pattern: '*.csv',
    settleMs: 60_000,
    rules: NO_RULES,
    rows: null,
    key: 'id',
    columns: PEOPLE,
    separator: null,
    encoding: null,
    prefer: null,
    mayBeEmpty: false,
    writeBack: null,
    ...rest,
  };
}

export function streamConfig(drop: string, pattern: string, rest: Partial<FileStreamConfig> = {}): FileStreamConfig {
  return {
    drop,
    sftp: null,
    pattern,
    settleMs: 60_000,
    rules: NO_RULES,
    rows: '/results',
    key: 'id',
    columns: PEOPLE,
    separator: null,
    encoding: null,
    prefer: null,
    mayBeEmpty: false,
    writeBack: null,
    ...rest,
  };
}

/** A stream at /v1/people that pages by token and counts its rows. */
export function listedConfig(baseUrl: string, rest: Partial<ListedStreamConfig> = {}): ListedStreamConfig {
  return {
    baseUrl,
    access: OPEN_ACCESS,
    dialect: 'plain',
    version: null,
    path: '/v1/people',
    filter: null,
    query: {},
    headers: {},
    rows: '/results',
    total: null,
    next: { kind: 'token', at: '/next', parameter: 'cursor' },
    deleted: null,
    incremental: null,
    key: 'id',
    columns: PEOPLE,
    prefer: null,
    ...rest,
  };
}

export function scimConfig(baseUrl: string, rest: Partial<ScimSourceConfig> = {}): ScimSourceConfig {
  return {
    type: 'scim',
    baseUrl,
    access: OPEN_ACCESS,
    columns: SCIM_COLUMNS,
    key: 'id',
    pageSize: 2,
    paging: 'index',
    filter: null,
    attributes: [],
    excludedAttributes: [],
    memberships: 'user',
    fullEveryMs: null,
    prefer: null,
    mayBeEmpty: false,
    isEndTrusted: false,
    writeBack: null,
    ...rest,
  };
}

export interface ReadResult {
  readonly batches: readonly RecordBatch[];
  readonly records: readonly SourceRecord[];
  readonly rejected: readonly RejectedRow[];
  readonly evidence: ReadEvidence;
}

export async function readAll(connector: Connector): Promise<ReadResult> {
  const batches: RecordBatch[] = [];
  const evidence = await connector.read((batch) => batches.push(batch));
  return {
    batches,
    evidence,
    records: batches.flatMap((batch) => batch.records),
    rejected: batches.flatMap((batch) => batch.rejected),
  };
}

export async function catchSyncError(promise: Promise<unknown>): Promise<SyncError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof SyncError) return error;
    throw error;
  }
  throw new Error('expected a SyncError, nothing was thrown');
}

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a real server on loopback; the base address ends in /scim/v2. */
export async function startServer(
  respond: Respond,
  showsCapabilities = false,
): Promise<{ baseUrl: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    // Every reader asks once for the capabilities of the provider; most tests use one that does not show them.
    if (request.url?.endsWith('/ServiceProviderConfig') === true && !showsCapabilities) {
      return answerJson(response, {}, 404);
    }
    requests.push(request.url ?? '');
    respond(request, response);
  });
  return { baseUrl: `${await listenOnLoopback(server)}/scim/v2`, requests };
}

export function answerJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/scim+json', ...headers });
  response.end(JSON.stringify(body));
}

/** Serves pages of `rows` with opaque tokens; the token is null on the last page. */
export function serveFeed(rows: readonly unknown[], size: number): Respond {
  return (request, response) => {
    const cursor = new URL(request.url ?? '', 'http://localhost').searchParams.get('cursor');
    const start = cursor === null ? 0 : Number(cursor.replace('t+/', ''));
    const next = start + size < rows.length ? `t+/${start + size}` : null;
    answerJson(response, { results: rows.slice(start, start + size), next, count: rows.length });
  };
}

/** Serves pages of `users` as RFC 7644 specifies. */
export function servePages(users: readonly unknown[], most = Number.POSITIVE_INFINITY): Respond {
  return (request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const start = Number(url.searchParams.get('startIndex'));
    const count = Math.min(Number(url.searchParams.get('count')), most);
    const page = users.slice(start - 1, start - 1 + count);
    answerJson(response, { totalResults: users.length, startIndex: start, itemsPerPage: page.length, Resources: page });
  };
}
