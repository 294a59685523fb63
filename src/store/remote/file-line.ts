import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { SyncError } from '../../base/errors.js';
import { copyNewSync, openNewSync } from '../../base/new-file.js';
import { type DatabaseKind, newestOf } from '../migrate.js';
import type { Postgres } from './postgres.js';

export type AskPostgres = Postgres['ask'];

/** A SQLite file in PostgreSQL. Its commits form a line in which each commit names the previous one. */
export interface LineId {
  /** Empty for a file that all tenants share. */
  readonly tenant: string;
  readonly name: LineName;
}

export type LineName = 'state' | 'pushed' | 'operators';

/** The kind of tables in each file. */
const KINDS: Readonly<Record<LineName, DatabaseKind>> = { state: 'state', pushed: 'state', operators: 'operators' };

/** The newest schema of the file that this program knows. */
export function newestSchema({ name }: Pick<LineId, 'name'>): number {
  return newestOf(KINDS[name]);
}

/** @throws SyncError SYNC_STATE_NEWER if a newer program has written the file */
export function checkKnown(line: LineId, { schema }: Pick<Head, 'schema'>): void {
  if (schema > newestSchema(line)) throw newerFile(line);
}

const TITLES: Readonly<Record<LineName, (tenant: string) => string>> = {
  state: (tenant) => `The state of ${tenant}`,
  pushed: (tenant) => `The file of users and groups pushed to ${tenant}`,
  operators: () => 'The list of operators',
};

export function newerFile({ tenant, name }: LineId): SyncError {
  return new SyncError('SYNC_STATE_NEWER', {
    message: `${TITLES[name](tenant)} was written by a newer talent-sync.`,
    place: tenant === '' ? 'backend.postgres' : tenant,
    remedy: 'Use that version, or restore the states from before that version (`talent-sync fleet rollback`).',
  });
}

/** The newest commit of a line. */
export interface Head {
  /** Random; null before the first commit. */
  readonly id: string | null;
  /** 1 for the first commit; 0 before it. */
  readonly number: number;
  /** Number of pages in the file. */
  readonly pages: number;
  /** The newest migration of the file's tables; 0 before the first commit. */
  readonly schema: number;
  /** ISO 8601, by the server's clock; null before the first commit. */
  readonly at: string | null;
}

/** A commit that a local copy contains. */
export type Commit = Pick<Head, 'id' | 'number'>;

export const NO_COMMIT: Head = { id: null, number: 0, pages: 0, schema: 0, at: null };

export type Statement = readonly [text: string, values: readonly unknown[]];

/** Maps page numbers, which start at 1, to content. */
export type FilePages = ReadonlyMap<number, Buffer>;

const PAGE_BYTES = 4_096;
/** Maximum number of pages per statement. */
const PAGES_TOGETHER = 1_000;
/** Number of commits kept to check if a copy belongs to the line. */
const COMMITS_KEPT = 1_000;

export async function findHead(ask: AskPostgres, { tenant, name }: LineId, isForChange = false): Promise<Head> {
  const rows = await ask<HeadRow>(`${HEAD}${isForChange ? ' FOR UPDATE' : ''}`, [tenant, name]);
  return toHead(rows[0]);
}

const HEAD = 'SELECT commit_id, commit_number, pages, schema, at FROM file WHERE tenant = $1 AND name = $2';

interface HeadRow {
  readonly [column: string]: unknown;
  readonly commit_id: string | null;
  readonly commit_number: string;
  readonly pages: number;
  readonly schema: string;
  readonly at: Date;
}

function toHead(row: HeadRow | undefined): Head {
  if (row === undefined) return NO_COMMIT;
  const { commit_id: id, commit_number: number, pages, schema, at } = row;
  return { id, number: Number(number), pages, schema: Number(schema), at: at.toISOString() };
}

/** A local file, with the commit that it is a copy of. */
export interface LineCopy {
  readonly file: string;
  /** Null if the file does not exist or cannot be trusted. */
  readonly at: Commit | null;
}

/**
 * Updates a file to the state in PostgreSQL, with the pages changed since its commit or with all pages. No other writer
 * may have the file open. A process that is reading it keeps the old content.
 *
 * @param before called before the file is replaced. `isOlder` means that the new file can be based on the old one.
 * Returns false if the old file is incomplete
 * @returns the commit of the file
 */
export async function fetchLine(
  { ask, seal }: Pick<Postgres, 'ask' | 'seal'>,
  line: LineId,
  { file, at }: LineCopy,
  before: (isOlder: boolean) => boolean = () => true,
): Promise<Head> {
  const head = await findHead(ask, line);
  if (at !== null && at.id === head.id) return head;
  const isOlder = at !== null && (await isInLine(ask, line, at));
  const isUsed = before(isOlder) && isOlder;
  if (head.number === 0) return head;
  const draft = openDraft(file, isUsed);
  try {
    await eachChanged(ask, line, isUsed ? at.number : 0, (page, content, number) => {
      writeSync(draft, seal.open(content, aboutPage(line, page, number)), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
    });
    ftruncateSync(draft, head.pages * PAGE_BYTES);
    fsyncSync(draft);
  } finally {
    closeSync(draft);
  }
  // A process may have opened the file meanwhile. The log of the old file would then be applied to the new one.
  for (const left of ['-wal', '-shm']) rmSync(`${file}${left}`, { force: true });
  renameSync(`${file}.arriving`, file);
  return head;
}

function openDraft(file: string, isCopy: boolean): number {
  const path = `${file}.arriving`;
  rmSync(path, { force: true });
  if (!isCopy) return openNewSync(path);
  copyNewSync(file, path);
  return openSync(path, 'r+');
}

async function isInLine(ask: AskPostgres, { tenant, name }: LineId, { id, number }: Commit): Promise<boolean> {
  const text = 'SELECT 1 FROM file_commit WHERE tenant = $1 AND name = $2 AND number = $3 AND id = $4';
  return (await ask(text, [tenant, name, number, id])).length > 0;
}

type OnPage = (page: number, content: Buffer, commitNumber: string) => void;

async function eachChanged(ask: AskPostgres, { tenant, name }: LineId, after: number, onPage: OnPage): Promise<void> {
  for (let last = 0; ; ) {
    const rows = await ask<PageRow>(CHANGED, [tenant, name, after, last, PAGES_TOGETHER]);
    for (const { page, content, commit_number } of rows) onPage(page, content, commit_number);
    last = rows.at(-1)?.page ?? last;
    if (rows.length < PAGES_TOGETHER) return;
  }
}

interface PageRow {
  readonly [column: string]: unknown;
  readonly page: number;
  readonly content: Buffer;
  readonly commit_number: string;
}

const CHANGED = `SELECT page, content, commit_number FROM file_page
WHERE tenant = $1 AND name = $2 AND commit_number > $3 AND page > $4 ORDER BY page LIMIT $5`;

/** The place that a page is sealed for. A copy from before a migration keeps its original's seal. */
function aboutPage({ tenant, name }: LineId, page: number, commitNumber: number | string) {
  return [tenant, name, page, String(commitNumber)];
}

export interface NextCommit {
  readonly after: Head;
  readonly pages: FilePages;
  /** Number of pages in the file. */
  readonly pageCount: number;
  /**
   * Permission to add the commit: a CTE `allowed`, with values from `$1`. Without it, the process that locked the line
   * may add.
   */
  readonly allowed?: Statement;
  /** Files added and removed with the commit. */
  readonly documents?: DocumentChanges;
  /** Statements executed in the same transaction. */
  readonly also?: readonly Statement[];
}

export interface DocumentChanges {
  /** Files with sealed content. */
  readonly come: readonly { readonly name: string; readonly content: Buffer }[];
  readonly gone: readonly string[];
}

const NO_DOCUMENTS: DocumentChanges = { come: [], gone: [] };
/** Number of plans kept per tenant, as in a folder. Sorting plans by name sorts them by time. */
const PLANS_KEPT = 200;

/**
 * Adds a commit with all its pages and related statements, or adds nothing.
 *
 * @returns null if the line has a newer commit, or if this process may not add to it
 */
export async function addCommit(
  postgres: Pick<Postgres, 'ask' | 'together' | 'seal'>,
  line: LineId,
  { after, pages, pageCount, allowed = ANYBODY, documents = NO_DOCUMENTS, also = [] }: NextCommit,
): Promise<Head | null> {
  const schema = newestSchema(line);
  const next: Head = { ...after, id: randomUUID(), number: after.number + 1, pages: pageCount, schema };
  const numbers = [...pages.keys()];
  const valuesFrom = (at: number): readonly unknown[] => {
    const some = numbers.slice(at, at + PAGES_TOGETHER);
    const sealed = some.map((page) =>
      postgres.seal.close(pages.get(page) ?? Buffer.alloc(0), aboutPage(line, page, next.number)),
    );
    // All pages are one value, because a list would be sent and parsed as text.
    return [some, Buffer.concat(sealed)];
  };
  // A single statement does not need a transaction.
  const isOne = numbers.length <= PAGES_TOGETHER && also.length === 0;
  const inOne: Postgres['together'] = isOne ? (work) => work(postgres.ask) : postgres.together;
  const { tenant, name } = line;
  const isDone = await inOne(async (ask) => {
    const [permission, permitted] = allowed;
    const about = [tenant, name, after.id, next.id, next.number, next.pages];
    const text = commitText(permission, permitted.length);
    const { come, gone } = documents;
    const files = [come.map(({ name: one }) => one), come.map(({ content }) => content), gone, schema];
    if ((await ask(text, [...permitted, ...about, ...valuesFrom(0), ...files])).length === 0) return false;
    for (let at = PAGES_TOGETHER; at < numbers.length; at += PAGES_TOGETHER)
      await ask(PUT, [tenant, name, next.number, ...valuesFrom(at)]);
    for (const [text, values] of also) await ask(text, values);
    return true;
  });
  return isDone ? next : null;
}

const ANYBODY: Statement = ['SELECT true', []];

const ON_CONFLICT =
  'ON CONFLICT (tenant, name, page) DO UPDATE SET commit_number = excluded.commit_number, content = excluded.content';

/** @param before number of values that the permission uses */
function commitText(permission: string, before: number): string {
  const value = (at: number, type: string): string => `$${before + at}::${type}`;
  const [tenant, name, after, id] = [value(1, 'text'), value(2, 'text'), value(3, 'uuid'), value(4, 'uuid')];
  const [number, pageCount] = [value(5, 'bigint'), value(6, 'integer')];
  return `
WITH allowed AS (${permission}), line AS (
  INSERT INTO file (tenant, name, commit_id, commit_number, pages, schema)
  SELECT ${tenant}, ${name}, ${id}, ${number}, ${pageCount}, ${value(12, 'bigint')} FROM allowed
  WHERE ${after} IS NULL OR EXISTS (SELECT FROM file WHERE tenant = ${tenant} AND name = ${name})
  ON CONFLICT (tenant, name) DO UPDATE SET
    commit_id = excluded.commit_id, commit_number = excluded.commit_number, pages = excluded.pages, schema = excluded.schema,
    at = clock_timestamp()
    WHERE file.commit_id IS NOT DISTINCT FROM ${after}
  RETURNING tenant, name
), noted AS (
  INSERT INTO file_commit (tenant, name, number, id) SELECT tenant, name, ${number}, ${id} FROM line
), forgotten AS (
  DELETE FROM file_commit c USING line WHERE c.tenant = line.tenant AND c.name = line.name AND c.number <= ${number} - ${COMMITS_KEPT}
), gone AS (
  DELETE FROM file_page p USING line WHERE p.tenant = line.tenant AND p.name = line.name AND p.page > ${pageCount}
), put AS (
  INSERT INTO file_page (tenant, name, page, commit_number, content)
  SELECT line.tenant, line.name, p.page, ${number}, p.content
  FROM line, ${cutPages(value(7, 'integer[]'), value(8, 'bytea'))} AS p
  ${ON_CONFLICT}
), documents_come AS (
  INSERT INTO document (tenant, name, content)
  SELECT line.tenant, d.name, d.content FROM line, unnest(${value(9, 'text[]')}, ${value(10, 'bytea[]')}) AS d (name, content)
  ON CONFLICT (tenant, name) DO UPDATE SET content = excluded.content
), documents_gone AS (
  DELETE FROM document d USING line WHERE d.tenant = line.tenant AND (d.name = ANY (${value(11, 'text[]')})
    OR cardinality(${value(9, 'text[]')}) > 0 AND d.name LIKE 'plans/%' AND d.name <= (SELECT name FROM document
      WHERE tenant = ${tenant} AND name LIKE 'plans/%' ORDER BY name DESC OFFSET ${PLANS_KEPT} LIMIT 1))
)
SELECT FROM line`;
}

const PUT = `
INSERT INTO file_page (tenant, name, page, commit_number, content)
SELECT $1, $2, p.page, $3, p.content FROM ${cutPages('$4::integer[]', '$5::bytea')} AS p
${ON_CONFLICT}`;

/** Splits one value into numbered pages of equal length. */
function cutPages(numbers: string, joined: string): string {
  const length = `(length(${joined}) / greatest(cardinality(${numbers}), 1))`;
  return `(SELECT page, substring(${joined} FROM (at::integer - 1) * ${length} + 1 FOR ${length}) AS content
    FROM unnest(${numbers}) WITH ORDINALITY AS cut (page, at))`;
}

export function splitPages(content: Buffer): { readonly pages: FilePages; readonly pageCount: number } {
  const pageCount = content.length / PAGE_BYTES;
  const pages = new Map<number, Buffer>();
  for (let page = 0; page < pageCount; page++)
    pages.set(page + 1, content.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES));
  return { pages, pageCount };
}
