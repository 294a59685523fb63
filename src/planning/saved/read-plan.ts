import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { SyncError } from '../../base/errors.js';
import type { GuardTrip, PlannedChange } from '../../model/plan.js';
import type { PlannedSourceChange } from '../../model/write-back.js';
import { createFingerprint } from '../../reconcile/build-change.js';
import { DIGEST, type PlanMeta, SEAL } from './plan-file.js';
import { isSealedWith } from './plan-seal.js';

export interface SavedPlan {
  readonly meta: PlanMeta;
  readonly file: string;
  readonly changes: readonly Pick<
    PlannedChange,
    'id' | 'entity' | 'action' | 'key' | 'label' | 'fields' | 'withheld' | 'asks' | 'power'
  >[];
  readonly toSources: readonly (Pick<
    PlannedSourceChange,
    'id' | 'source' | 'record' | 'entity' | 'key' | 'label' | 'withheld'
  > & { readonly columns: readonly string[] })[];
  readonly fingerprint: string;
  readonly guards: readonly GuardTrip[];
}

/**
 * Reads a saved plan line by line, and checks its fingerprint and its seal.
 *
 * @throws SyncError SYNC_PLAN_DAMAGED if one of them does not match
 */
export async function readPlan(file: string, key: string): Promise<SavedPlan> {
  const changes: SavedPlan['changes'][number][] = [];
  const toSources: SavedPlan['toSources'][number][] = [];
  const { meta, fingerprint, tail } = await checkPlan(file, key, {
    take: ({ id, entity, action, key, label, fields, withheld, asks, power }) =>
      void changes.push({
        ...{ id, entity, action, key, label, fields, withheld },
        ...(asks === undefined ? {} : { asks }),
        ...(power === undefined ? {} : { power }),
      }),
    takeBack: ({ id, source, record, entity, key, label, cells, withheld }) =>
      void toSources.push({
        ...{ id, source, record, entity, key, label, withheld },
        columns: cells.map(({ column }) => column),
      }),
  });
  const { guards } = JSON.parse(`{${tail.slice('],'.length)}`) as { readonly guards: readonly GuardTrip[] };
  return { meta, file, changes, toSources, fingerprint, guards };
}

/** The end of a line before the rows of a list, and of no other line. */
const OPENING_END = '":[\n';
const OPENING = /^(?:\],)?"(\w+)":\[\n$/;
const HEAD = '{"format":1,"meta":';
/** Finds the fingerprint in the last line, before the digest. */
const FINGERPRINT = /"fingerprint":"([^"]*)","sha256":"[^"]*"(?:,"seal":"[^"]*")?}$/;

/** Receives the changes of a plan, one by one. */
interface PlanReader {
  take(change: PlannedChange): void;
  takeBack(change: PlannedSourceChange): void;
}

/**
 * Checks a plan like `readPlan`, without keeping its changes. `tail` is the last line, and `starts` has the byte at
 * which the rows of each list begin. Without a reader the changes are not parsed, because the seal covers every byte,
 * including the fingerprint.
 */
export async function checkPlan(
  file: string,
  key: string,
  reader: PlanReader | null,
): Promise<Pick<SavedPlan, 'meta' | 'fingerprint'> & { readonly tail: string; readonly starts: PlanScan['starts'] }> {
  const scan = new PlanScan(reader);
  let tail = '';
  try {
    for await (const lines of readLines(file)) scan.take(lines);
    tail = scan.end();
  } catch (error) {
    throw damaged(file, error instanceof Error ? error.message : String(error));
  }
  const { meta, starts } = scan;
  const fingerprint = reader === null ? (FINGERPRINT.exec(tail)?.[1] ?? '') : scan.fingerprint.digest();
  if (meta === null) throw damaged(file, UNFIT);
  requireSeal(file, key, tail, `"fingerprint":"${fingerprint}"${DIGEST}${scan.content.digest('hex')}`);
  return { meta, fingerprint, tail, starts };
}

const EMPTY = Buffer.alloc(0);

/** The state while a plan is read. Only rows for a reader are decoded. */
class PlanScan {
  readonly fingerprint = createFingerprint();
  readonly content = createHash('sha256');
  readonly starts = new Map<string, number>();
  meta: PlanMeta | null = null;
  /** The last line so far. Only the last one of the file ends with a digest, so its hash waits. */
  private last: Buffer = EMPTY;
  private bytes = 0;
  private list: string | null = null;
  private readonly reader: PlanReader | null;

  constructor(reader: PlanReader | null) {
    this.reader = reader;
  }

  take(lines: Buffer): void {
    this.content.update(this.last);
    this.last = lines.subarray(startOfLine(lines, lines.length - 1));
    this.content.update(lines.subarray(0, lines.length - this.last.length));
    if (this.bytes === 0) this.takeHead(lines.toString('utf8', 0, lines.indexOf('\n')));
    let from = 0;
    for (let at = lines.indexOf(OPENING_END); at !== -1; at = lines.indexOf(OPENING_END, from)) {
      const line = startOfLine(lines, at);
      this.takeRows(lines.subarray(from, line));
      from = at + OPENING_END.length;
      this.list = OPENING.exec(lines.toString('utf8', line, from))?.[1] ?? null;
      if (this.list !== null) this.starts.set(this.list, this.bytes + from);
    }
    this.takeRows(lines.subarray(from));
    this.bytes += lines.length;
  }

  /** Returns the last line, after all others were taken. */
  end(): string {
    const end = this.last.lastIndexOf(DIGEST);
    this.content.update(end === -1 ? this.last : this.last.subarray(0, end));
    return this.last.toString('utf8').replace(/\n$/, '');
  }

  private takeHead(line: string): void {
    if (line.startsWith(HEAD)) this.meta = JSON.parse(line.slice(HEAD.length, -1)) as PlanMeta;
  }

  private takeRows(rows: Buffer): void {
    const { list, reader } = this;
    if (reader === null || (list !== 'toService' && list !== 'toSources')) return;
    for (const change of parsePlanRows<PlannedChange | PlannedSourceChange>(rows).rows) {
      this.fingerprint.add(change.id);
      if (list === 'toService') reader.take(change as PlannedChange);
      else reader.takeBack(change as PlannedSourceChange);
    }
  }
}

/** The index at which the line begins that has the byte at `at`. */
function startOfLine(lines: Buffer, at: number): number {
  return at <= 0 ? 0 : lines.lastIndexOf('\n', at - 1) + 1;
}

/** Parses the rows of a list, up to the line that closes it. */
export function parsePlanRows<T>(lines: Buffer): { readonly rows: readonly T[]; readonly isClosed: boolean } {
  const rows: T[] = [];
  for (const line of lines.toString('utf8').split('\n')) {
    if (line.startsWith(']')) return { rows, isClosed: true };
    if (line !== '') rows.push(JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line) as T);
  }
  return { rows, isClosed: false };
}

const UNFIT = 'its fingerprint does not match';

/** @param expected the end that the content must have, with the two hashes calculated from it */
function requireSeal(file: string, key: string, tail: string, expected: string): void {
  const [body = '', seal = null] = tail.replace(/"}$/, '').split(SEAL);
  if (!tail.endsWith('"}') || !body.endsWith(expected)) throw damaged(file, UNFIT);
  if (seal === null) throw foreign(file, 'An earlier version created this plan without a seal.');
  if (!isSealedWith(key, expected.slice(-64), seal))
    throw foreign(
      file,
      'The seal of the plan does not match: the plan was edited, or created with another state, such as one that was lost.',
    );
}

/** Longer than any line of a plan can be, because a change has the values of one object. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** Reads a file in parts of complete lines, from the given byte on. */
export async function* readLines(file: string, start = 0): AsyncIterable<Buffer> {
  let begun: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(file, { start }) as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf('\n') + 1;
    length += chunk.length;
    if (end > 0) {
      yield Buffer.concat([...begun, chunk.subarray(0, end)]);
      begun = [];
      length = chunk.length - end;
    }
    begun.push(chunk.subarray(end));
    if (length > LONGEST_LINE) throw new Error('a line has no end');
  }
  if (length > 0) yield Buffer.concat(begun);
}

function foreign(file: string, message: string): SyncError {
  const remedy = 'Create a new one with `talent-sync plan`; approvals stay valid.';
  return new SyncError('SYNC_PLAN_DAMAGED', { message, place: file, remedy });
}

function damaged(file: string, because: string): SyncError {
  return new SyncError('SYNC_PLAN_DAMAGED', {
    message: `The plan was truncated or edited: ${because}.`,
    place: file,
    remedy: 'Create a new one with `talent-sync plan`.',
  });
}
