import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Batches, breathe } from '../../base/clock.js';
import { messageOf, SyncError } from '../../base/errors.js';
import { createDraft, makeFolderSync, refuseLinkedFolder } from '../../base/new-file.js';
import { hideSecretsInJson } from '../../base/secrets/secret.js';
import type { DeclinedChange } from '../../model/decline.js';
import type { DueDelivery } from '../../model/delivery.js';
import type { HeldCounts, Hold } from '../../model/desired.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type {
  AdoptionReport,
  BulkLoad,
  Cost,
  Counts,
  GuardTrip,
  PlanEvidence,
  PlannedChange,
} from '../../model/plan.js';
import type { Understood } from '../../model/understood.js';
import type { NearMisses, PlannedSourceChange } from '../../model/write-back.js';
import { createFingerprint } from '../../reconcile/build-change.js';
import type { WriteBackCount } from '../../store/work/planned-write-back-store.js';
import { isSealedWith, sealPlan } from './plan-seal.js';

/** The data that differs each time a plan is saved; all other data has the same bytes for the same input. */
export interface PlanMeta {
  readonly plan: string;
  readonly created: string;
  readonly expires: string;
  readonly config: string;
  /** How the mirror was brought up to date: by `full read` or `feed`. */
  readonly mirror: string;
  /** Set on a plan that undoes a run. */
  readonly undoes?: { readonly run: string; readonly reason: string };
  /** Set on a plan of one object, for example `user:jane@example.com`. */
  readonly only?: string;
  /** Set on a plan for another day, for example `2027-01-01`. */
  readonly asOf?: string;
  /** Source → ISO 8601 time at which its read began; plans of earlier versions lack it. */
  readonly reads?: Readonly<Record<string, string>>;
}

/** The plan in numbers, with everything other than its changes. */
export interface PlanSummary {
  readonly counts: Counts;
  /** Source or stream → the write-backs to it. */
  readonly toSources: Readonly<Record<string, WriteBackCount>>;
  readonly cost: Cost;
  readonly held: number;
  /** The number of holds by kind; plans that are read from a file lack it. */
  readonly heldCounts: HeldCounts;
  /** Changes to the service that wait for an approval, or for a change that does. */
  readonly waiting: number;
  readonly guards: readonly GuardTrip[];
  /** Changes that a person has declined; they are not counted above. */
  readonly declined: readonly DeclinedChange[];
  readonly bulkLoad: BulkLoad | null;
  /** Reports that a run would deliver now. They are not changes, and `apply` checks the time again. */
  readonly deliveries: readonly DueDelivery[];
  readonly nearMisses: readonly NearMisses[];
  readonly evidence: PlanEvidence;
  /** First contact with an account that already holds objects; null if nothing is adopted. */
  readonly adoption: readonly AdoptionReport[] | null;
  /** How the sources are understood, while no person has a link yet; null afterwards. */
  readonly understood: Understood | null;
}

export interface PlanHead extends PlanMeta {
  readonly file: string;
  readonly fingerprint: string;
  readonly summary: PlanSummary;
}

/** The last two members: a SHA-256 over everything before it, which reveals an edit anywhere in the file, and the seal. */
const DIGEST = ',"sha256":"';
const SEAL = '","seal":"';

/** The parts of a plan to write; the long ones are read item by item. */
export interface PlanParts {
  readonly meta: PlanMeta;
  readonly changes: Iterable<PlannedChange>;
  readonly back: Iterable<PlannedSourceChange>;
  readonly holds: Iterable<Hold>;
  readonly summary: PlanSummary;
}

/**
 * Writes a plan as one JSON document with one change per line. A plan of any size can be written and read as a stream,
 * and a person can read or compare it with the usual tools. The file gets its name only once it is complete.
 *
 * @throws the reason of the aborted signal, in a pause
 */
export async function writePlan(
  folder: string,
  parts: PlanParts,
  key: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly file: string; readonly fingerprint: string }> {
  const file = join(folder, `${parts.meta.plan}.json`);
  const content = createHash('sha256');
  try {
    makeFolderSync(folder, 0o700);
    refuseLinkedFolder(folder);
    const draft = createDraft(file);
    try {
      const put = (text: string): void => {
        content.update(text);
        draft.write(text);
      };
      const digest = await writeParts(parts, put, () => breathe(signal));
      const sha256 = content.digest('hex');
      draft.write(`${DIGEST}${sha256}${SEAL}${sealPlan(key, sha256)}"}\n`);
      draft.finish();
      return { file, fingerprint: digest };
    } finally {
      draft.discard();
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new SyncError('SYNC_STATE_UNUSABLE', {
      message: `The plan cannot be written: ${messageOf(error)}`,
      place: file,
      remedy: 'Check that the state folder is writable and the disk is not full.',
      cause: error,
    });
  }
}

/** Writes everything up to the seal, part by part; returns the fingerprint. */
async function writeParts(
  { meta, changes, back, holds, summary }: PlanParts,
  put: (text: string) => void,
  pause: () => Promise<void>,
): Promise<string> {
  const fingerprint = createFingerprint();
  const write = createBufferedWriter(put, pause);
  write.line(`{"format":1,"meta":${canonicalJson({ ...meta })},`);
  write.line('"toService":[');
  await write.rows(changes, (change) => {
    fingerprint.add(change.id);
    return hideSecretsInJson(canonicalJson({ ...change } as unknown as Json));
  });
  write.line('],"toSources":[');
  await write.rows(back, (change) => {
    fingerprint.add(change.id);
    return hideSecretsInJson(canonicalJson({ ...change } as unknown as Json));
  });
  write.line('],"held":[');
  await write.rows(holds, (hold) => hideSecretsInJson(canonicalJson({ ...hold })));
  write.end();
  const { counts, toSources, cost, guards, declined, bulkLoad, evidence, adoption, deliveries, nearMisses } = summary;
  const { understood } = summary;
  const digest = fingerprint.digest();
  put(
    `],"counts":${json(counts)},"source_counts":${json(toSources)},"guards":${json(guards)},"bulk_load":${json(bulkLoad)},"evidence":${json(evidence)},` +
      `${declined.length === 0 ? '' : `"declined":${json(declined)},`}` +
      `${deliveries.length === 0 ? '' : `"deliveries":${json(deliveries)},`}` +
      `${nearMisses.length === 0 ? '' : `"near_misses":${json(nearMisses)},`}` +
      `${understood === null ? '' : `"understood":${json(understood)},`}` +
      `${adoption === null ? '' : `"adoption":${json(adoption)},`}"cost":${json(cost)},"fingerprint":"${digest}"`,
  );
  return digest;
}

function json(value: unknown): string {
  return hideSecretsInJson(JSON.stringify(value));
}

/** Rows to write before other work gets its turn. */
const AT_A_TIME = 500;

function createBufferedWriter(flush: (text: string) => void, pause: () => Promise<void>) {
  let buffer = '';
  const line = (text: string): void => {
    buffer += `${text}\n`;
    if (buffer.length > 1 << 16) {
      flush(buffer);
      buffer = '';
    }
  };
  return {
    line,
    async rows<T>(items: Iterable<T>, format: (item: T) => string): Promise<void> {
      let last: string | null = null;
      let written = 0;
      for (const item of items) {
        if (last !== null) line(`${last},`);
        last = format(item);
        written += 1;
        if (written % AT_A_TIME === 0) await pause();
      }
      if (last !== null) line(last);
    },
    end: () => flush(buffer),
  };
}

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

/** The end of the id of a plan that a run has created for itself. */
export const RUN_PLAN = '-run';

/**
 * Finds a saved plan by id or path. Without either, it finds the newest plan: of all plans, or of those that `plan` has
 * created.
 *
 * @throws SyncError SYNC_PLAN_MISSING if there is none
 */
export function findPlanFile(folder: string, wanted: string | null, among: 'all' | 'planned'): string {
  if (wanted === null) {
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
    const newest = names
      .filter((name) => among === 'all' || !name.endsWith(`${RUN_PLAN}.json`))
      .sort()
      .at(-1);
    if (newest !== undefined) return join(folder, newest);
  } else {
    for (const file of [join(folder, `${basename(wanted, '.json')}.json`), wanted]) if (existsSync(file)) return file;
  }
  throw new SyncError('SYNC_PLAN_MISSING', {
    message: wanted === null ? 'There is no saved plan.' : `There is no plan "${wanted}".`,
    place: folder,
    remedy: 'Create one with `talent-sync plan`; the output has its id and file.',
  });
}

/** Number of plans kept in the folder, because a schedule of every 15 minutes creates 35,000 per year. */
const KEPT_PLANS = 200;

/** Removes the oldest plans beyond the newest 200; an approval does not need its plan's file. */
export function prunePlans(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  for (const name of names.sort().slice(0, -KEPT_PLANS)) rmSync(join(folder, name), { force: true });
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
