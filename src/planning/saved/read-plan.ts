import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Batches } from '../../base/clock.js';
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

/** Line → the part of the document that begins after it. */
const OPENS: ReadonlyMap<string, 'toService' | 'toSources'> = new Map([
  ['"toService":[', 'toService'],
  ['],"toSources":[', 'toSources'],
]);
/** The line before the rows of a list. */
const OPENING = /^(?:\],)?"(\w+)":\[$/;
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
 * which the rows of each list begin. Without a reader the changes are not parsed, because the seal covers every
 * character, including the fingerprint.
 */
export async function checkPlan(
  file: string,
  key: string,
  reader: PlanReader | null,
): Promise<Pick<SavedPlan, 'meta' | 'fingerprint'> & Pick<PlanScan, 'tail' | 'starts'>> {
  const scan = new PlanScan(reader);
  try {
    for await (const lines of readLines(file, { as: 'latin1' })) scan.takeLines(lines);
    scan.takeTail();
  } catch (error) {
    throw damaged(file, error instanceof Error ? error.message : String(error));
  }
  const { meta, starts } = scan;
  const tail = decodeLine(scan.tail);
  const fingerprint = reader === null ? (FINGERPRINT.exec(tail)?.[1] ?? '') : scan.fingerprint.digest();
  if (meta === null) throw damaged(file, UNFIT);
  requireSeal(file, key, tail, `"fingerprint":"${fingerprint}"${DIGEST}${scan.content.digest('hex')}`);
  return { meta, fingerprint, tail, starts };
}

/** The state while a plan is read, line by line. Each character of a line is one byte, which is fast to read and to hash. */
class PlanScan {
  readonly fingerprint = createFingerprint();
  readonly content = createHash('sha256');
  readonly starts = new Map<string, number>();
  meta: PlanMeta | null = null;
  /** The last line so far. Only the last one of the file ends with a digest, so its hash waits. */
  tail = '';
  private bytes = 0;
  private part: 'toService' | 'toSources' | null = null;
  private readonly reader: PlanReader | null;

  constructor(reader: PlanReader | null) {
    this.reader = reader;
  }

  takeLines(lines: readonly string[]): void {
    if (this.bytes > 0) this.content.update(`${this.tail}\n`, 'latin1');
    this.tail = lines.at(-1) ?? '';
    this.content.update([...lines.slice(0, -1), ''].join('\n'), 'latin1');
    for (const line of lines) this.takeLine(line);
  }

  takeTail(): void {
    const end = this.tail.lastIndexOf(DIGEST);
    this.content.update(end === -1 ? `${this.tail}\n` : this.tail.slice(0, end), 'latin1');
  }

  private takeLine(line: string): void {
    this.bytes += line.length + 1;
    const list = line.endsWith('[') ? OPENING.exec(line)?.[1] : undefined;
    if (list !== undefined) this.starts.set(list, this.bytes);
    if (this.meta === null && line.startsWith(HEAD))
      this.meta = JSON.parse(decodeLine(line).slice(HEAD.length, -1)) as PlanMeta;
    else if (OPENS.has(line) || line.startsWith(']')) this.part = OPENS.get(line) ?? null;
    else if (this.part !== null && this.reader !== null) this.takeRow(line, this.part, this.reader);
  }

  private takeRow(line: string, part: 'toService' | 'toSources', reader: PlanReader): void {
    const change = JSON.parse(decodeLine(line).replace(/,$/, '')) as PlannedChange | PlannedSourceChange;
    this.fingerprint.add(change.id);
    if (part === 'toService') reader.take(change as PlannedChange);
    else reader.takeBack(change as PlannedSourceChange);
  }
}

/** The text of a line that was read byte by byte. */
function decodeLine(line: string): string {
  return Buffer.from(line, 'latin1').toString('utf8');
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

/**
 * Reads the lines of a file, in batches. Splits at line feeds only, because the seal covers every character and
 * `node:readline` drops carriage returns.
 *
 * @param as `latin1` for one character per byte
 */
export async function* readLines(
  file: string,
  { start = 0, as = 'utf8' }: { readonly start?: number; readonly as?: 'utf8' | 'latin1' },
): Batches<string> {
  let begun: string[] = [];
  let length = 0;
  for await (const chunk of createReadStream(file, { encoding: as, start })) {
    const [first = '', ...more] = String(chunk).split('\n');
    begun.push(first);
    length += first.length;
    if (length > LONGEST_LINE) throw new Error('a line has no end');
    const last = more.pop();
    if (last === undefined) continue;
    yield [begun.join(''), ...more];
    begun = [last];
    length = last.length;
  }
  if (length > 0) yield [begun.join('')];
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
