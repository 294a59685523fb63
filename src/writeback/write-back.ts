import type { Applied } from '../apply/apply-plan.js';
import { isoNow } from '../base/clock.js';
import { asSyncError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { SourceWriter, WriteDelivery } from '../connectors/source-writer.js';
import type { WriteBackMapper } from '../mapping/write-back.js';
import { ENTITIES, type Entity } from '../model/entity.js';
import type { Failure } from '../model/failure.js';
import { groupBy } from '../model/group-by.js';
import { generalise } from '../model/hold-cause.js';
import type { Json } from '../model/json.js';
import type { StandStill } from '../model/pause.js';
import { MOST_EQUAL } from '../model/refusal-pauses.js';
import type { PlannedSourceChange, SourceWrite, WriteOutcome, WrittenSource } from '../model/write-back.js';
import { appendEvent } from '../store/audit/audit-log.js';
import type { SourceWritten } from '../store/audit/events.js';
import type { Waiting } from '../store/state/outbox-store.js';
import type { PlannedFilter } from '../store/work/planned-store.js';
import { prepareWrites, type ReadyChange, type ReadyRecord, readRow } from './prepare-writes.js';
import { explainOutcome, type RecordingContext, recordOutcome } from './record-outcome.js';

export interface WriteBackContext extends RecordingContext {
  readonly logger: Logger;
  readonly signal: AbortSignal | undefined;
  readonly writers: ReadonlyMap<string, SourceWriter>;
  readonly writeBackMappers: Readonly<Partial<Record<Entity, WriteBackMapper>>>;
  /** True if the source gets every linked record each time one record changes. */
  readonly repeatsAllRows: (source: string) => boolean;
  /** True if values that a spreadsheet would run as formulas may be written back to the source. */
  readonly writesFormulas: (source: string) => boolean;
  /** Returns the reason why nothing may be written now; null if writing is allowed. */
  readonly standsStill: () => StandStill | null;
}

/** The result of writing back. */
export interface WrittenBack {
  /** The number of records written, by source. */
  readonly done: Readonly<Record<string, number>>;
  readonly failed: readonly Failure[];
  /** The number of records not attempted. */
  readonly left: number;
  readonly bySource: readonly WrittenSource[];
}

/** The result of a run on both sides. */
export type AppliedBoth = Applied & {
  readonly toSources: WrittenBack['done'];
  readonly bySource: WrittenBack['bySource'];
};

/**
 * Writes to the sources after the service has been updated. If the run was stopped before, the next run writes to the
 * sources.
 */
export async function writeBackToSources(
  applied: Applied,
  filter: 'applicable' | 'wanted',
  context: WriteBackContext,
): Promise<AppliedBoth> {
  const { stores, logger } = context;
  const counts = Object.entries(stores.work.countWriteBack(filter));
  const stopped = applied.stopped ?? (counts.length === 0 ? null : context.standsStill());
  const bySource = counts.map(([source, { records }]) => nothingWritten(source, records));
  const untold: WrittenBack = { done: {}, failed: [], left: sumLeft(bySource), bySource };
  const told = stopped === null ? await writeBack(filter, context) : untold;
  const both = {
    ...applied,
    failed: [...applied.failed, ...told.failed],
    left: applied.left + told.left,
    stopped,
    toSources: told.done,
    bySource: told.bySource,
  };
  const { done, failed, left } = both;
  logger.debug({ done, failed: failed.length, left, stopped: stopped?.code }, 'applied');
  return both;
}

function nothingWritten(source: string, left: number): WrittenSource {
  return { source, done: 0, refused: 0, lost: 0, left, at: null, examples: [] };
}

/** The number of failed records that a message names. */
const EXAMPLES = 5;
/** The number of records with intents that are written to disk together. */
const TOGETHER = 200;

/**
 * Writes the planned changes to the sources, one source after the other; no other code writes to sources. The intent is
 * on disk before each call, and the outcome after it. A source that fails does not stop the others.
 */
async function writeBack(filter: Exclude<PlannedFilter, 'all'>, context: WriteBackContext): Promise<WrittenBack> {
  const { stores, writers, logger, signal } = context;
  const failed: Failure[] = [];
  const bySource: WrittenSource[] = [];
  const done: Record<string, number> = {};
  for (const [source, { records }] of Object.entries(stores.work.countWriteBack(filter))) {
    const writer = writers.get(source);
    if (writer === undefined || signal?.aborted === true || context.standsStill() !== null) {
      bySource.push(nothingWritten(source, records));
      continue;
    }
    const { told, failed: faults } = await writeBackToSource({ source, records, to: writer }, filter, context);
    done[source] = told.done;
    failed.push(...faults);
    bySource.push(told);
    logger.info({ source, done: told.done, failed: faults.length, left: told.left }, 'written back');
  }
  return { done, failed, left: sumLeft(bySource), bySource };
}

function sumLeft(sources: readonly WrittenSource[]): number {
  return sources.reduce((sum, { left }) => sum + left, 0);
}

/** A source with a writer, and the number of records to write. */
interface Recipient {
  readonly source: string;
  readonly records: number;
  readonly to: SourceWriter;
}

async function writeBackToSource(
  { source, records, to }: Recipient,
  filter: Exclude<PlannedFilter, 'all'>,
  context: WriteBackContext,
): Promise<{ readonly told: WrittenSource; readonly failed: readonly Failure[] }> {
  const outcomes = new RecordOutcomes(source, context);
  const onSkipped = ({ record }: PlannedSourceChange): void => outcomes.name(record, 'left');
  const ready = prepareWrites(source, filter, { ...context, onSkipped });
  const writes = eachWrite(ready, source, outcomes, context);
  try {
    await to.write(writes, deliveryOf(context.run), (outcome) => outcomes.take(outcome), context.signal);
  } catch (error) {
    const { code, message, remedy, place } = asSyncError(error);
    outcomes.failed.push({ entity: source, key: '*', change: '', code, message, place: place ?? source, remedy });
  }
  return { told: outcomes.end(records), failed: outcomes.failed };
}

function describeFailure({ source, record, id, place }: PlannedSourceChange, outcome: WriteOutcome): Failure {
  return { entity: source, key: record, change: id, place, ...explainOutcome(outcome) };
}

/** Collects the outcomes for one source's records. */
class RecordOutcomes {
  /** Records that have an intent on disk but no outcome yet. */
  readonly pending = new Map<string, readonly ReadyChange[]>();
  /** The pending records that the writer has not taken yet. */
  readonly unsent = new Set<string>();
  readonly failed: Failure[] = [];
  readonly #counts = { done: 0, refused: 0, lost: 0 };
  readonly #places = new Set<string>();
  readonly #examples: string[] = [];
  #unsaved: [WriteOutcome, readonly ReadyChange[]][] = [];
  /** The current series of rejections with the same message. */
  #alike = { words: '', count: 0 };

  constructor(
    readonly source: string,
    readonly context: WriteBackContext,
  ) {}

  /** True after too many equal rejections in a row for the records to be at fault. */
  get isRefusedAlike(): boolean {
    return this.#alike.count > MOST_EQUAL;
  }

  /** Keeps a failed record as an example. */
  name(record: string, how: string): void {
    if (this.#examples.length < EXAMPLES) this.#examples.push(`${record} ${how}`);
  }

  take(outcome: WriteOutcome): void {
    const { record, status, at } = outcome;
    const changes = this.pending.get(record);
    if (changes === undefined) return;
    this.pending.delete(record);
    this.#unsaved.push([outcome, changes]);
    if (this.#unsaved.length === TOGETHER) this.#save();
    this.#counts[status] += 1;
    // Two places are enough to show that there was more than one.
    if (status === 'done' && this.#places.size < 2) this.#places.add(at);
    this.#noteAnswer(outcome);
    if (status === 'done') return;
    this.name(record, status);
    this.failed.push(...changes.map(({ change }) => describeFailure(change, outcome)));
  }

  #noteAnswer({ status, message = '', mayBeRepeated }: WriteOutcome): void {
    // After too many equal rejections, nothing more is sent. Outcomes that arrive later do not change this.
    if (this.isRefusedAlike) return;
    const words = generalise(message);
    if (status === 'done') this.#alike = { words: '', count: 0 };
    else if (status === 'refused' && mayBeRepeated !== true)
      this.#alike = { words, count: words === this.#alike.words ? this.#alike.count + 1 : 1 };
    if (!this.isRefusedAlike) return;
    const { source } = this;
    this.failed.push({
      ...{ entity: source, key: '*', change: '', code: 'SYNC_WRITE_BACK_REFUSED', place: source, of_all: true },
      message: `${this.#alike.count} records were rejected for the same reason, and no more are sent in this run: ${message}`,
      remedy:
        'Fix the cause in the source, or in the mapping of the write-back. The next run begins with other records.',
    });
  }

  /** @param records number of records that were to be written */
  end(records: number): WrittenSource {
    this.#save();
    const { stores, clock } = this.context;
    // A record that the writer took may have arrived even if it has no outcome.
    stores.state.transaction(() => {
      for (const left of this.pending.keys()) {
        if (this.unsent.has(left)) stores.outbox.settle(this.source, left, 'again', null);
        else stores.outbox.settle(this.source, left, 'lost', `no outcome by ${isoNow(clock)}`);
      }
    });
    for (const left of this.pending.keys()) this.name(left, 'left');
    const { done, refused, lost } = this.#counts;
    const [at = null, ...others] = this.#places;
    // The number includes records that the writer never reached.
    const left = Math.max(0, records - done - refused - lost);
    const place = others.length === 0 ? at : null;
    return { source: this.source, done, refused, lost, left, at: place, examples: this.#examples };
  }

  /**
   * Saves outcomes in batches, because one disk sync per outcome would be slow. After a crash, outcomes are recorded
   * again, which does no harm.
   */
  #save(): void {
    if (this.#unsaved.length > 0)
      this.context.stores.state.transaction(() => {
        for (const [outcome, changes] of this.#unsaved) recordOutcome(outcome, changes, this.source, this.context);
      });
    this.#unsaved = [];
  }
}

/** Yields writes in batches. The intents of a batch are on disk before its first record is yielded. */
function* eachWrite(
  records: Iterable<ReadyRecord>,
  source: string,
  outcomes: Pick<RecordOutcomes, 'pending' | 'unsent' | 'isRefusedAlike'>,
  context: WriteBackContext,
): Iterable<SourceWrite> {
  const { stores, run, clock } = context;
  const told = new Set<string>();
  let batch: ReadyRecord[] = [];
  function* flush(): Iterable<SourceWrite> {
    const at = isoNow(clock);
    stores.outbox.intend(
      batch.flatMap(({ changes }) =>
        changes.flatMap(({ change: { record, entity, key }, cells }) =>
          cells.map(({ column, after, before, serviceHash }) => {
            const what = { source, record, column, entity, key, value: after, shown: before, serviceHash };
            return { ...what, run, at };
          }),
        ),
      ),
    );
    for (const { write, changes } of batch) {
      outcomes.pending.set(write.record, changes);
      outcomes.unsent.add(write.record);
    }
    for (const { write } of batch) {
      if (outcomes.isRefusedAlike) return;
      outcomes.unsent.delete(write.record);
      yield write;
    }
    batch = [];
  }
  for (const record of records) {
    if (outcomes.isRefusedAlike) return;
    batch.push(record);
    told.add(record.write.record);
    if (batch.length === TOGETHER) yield* flush();
  }
  yield* flush();
  if (told.size > 0 && context.repeatsAllRows(source)) yield* listOthers(source, told, context);
}

/** Yields the unchanged linked records of a source, for sources that get all records each time. */
function* listOthers(source: string, told: ReadonlySet<string>, context: WriteBackContext): Iterable<SourceWrite> {
  const { work } = context.stores;
  const seen = new Set(told);
  for (const entity of ENTITIES) {
    for (const { desired, serviceId } of work.writeBackRows(entity, null)) {
      const there = desired.writeBack.records[source];
      if (there === undefined || serviceId === null || seen.has(there.record)) continue;
      seen.add(there.record);
      const { record, cells } = there;
      yield { record, cells: {}, row: readRow({ entity, source, record }, cells, context) };
    }
  }
}

/**
 * Settles writes that an earlier process began and that have no outcome. They count as sent if the source confirms the
 * delivery.
 */
export async function resumeWriteBack({ stores, writers, clock, logger, signal }: WriteBackContext): Promise<void> {
  for (const { source, run } of stores.outbox.open()) {
    const arrived = await hasArrived(writers.get(source), deliveryOf(run), signal);
    stores.state.transaction(() => {
      for (const told of listBegun(source, run, stores.outbox.waiting())) {
        const result = arrived ? 'done' : 'lost';
        const cause = 'started by a run that was interrupted';
        appendEvent(stores.audit, { ...told, kind: 'source told', at: isoNow(clock), cause, result });
      }
      stores.outbox.settleRun(source, run, arrived ? 'sent' : 'lost');
    });
    logger.warn({ source, begun_by: run, arrived }, 'an earlier run had started to write back to the source');
  }
}

/** Yields the writes that a run began for a source, one record at a time. */
function* listBegun(
  source: string,
  run: string,
  waiting: Iterable<Waiting>,
): Iterable<Omit<SourceWritten, 'kind' | 'at' | 'cause' | 'result'>> {
  const begun = [...waiting].filter((one) => one.source === source && one.run === run && one.status === 'sending');
  for (const [record, cells] of groupBy(begun, (one) => one.record)) {
    const sideOf = (side: 'shown' | 'value'): Json => Object.fromEntries(cells.map((one) => [one.column, one[side]]));
    const { entity, key } = cells[0];
    yield {
      run,
      change: '',
      source,
      record,
      entity,
      key,
      label: key,
      approval: null,
      before: sideOf('shown'),
      after: sideOf('value'),
      where: source,
      request_id: null,
      error: null,
    };
  }
}

async function hasArrived(
  writer: SourceWriter | undefined,
  delivery: WriteDelivery,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    return (await writer?.wasDelivered?.(delivery, signal)) === true;
  } catch {
    // If the source cannot be reached now, the values are sent again, which does no harm.
    return false;
  }
}

/** The run's id contains its time, so a repeated delivery gets the same name. */
function deliveryOf(run: string): WriteDelivery {
  const [, year, month, day, hour, minute, second] = /^r(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/.exec(run) ?? [];
  const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return { run, atMs: Number.isNaN(atMs) ? 0 : atMs };
}
