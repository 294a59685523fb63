import type { DeliveredReport } from '../../config/resolve-deliveries.js';
import { nameFile } from '../../connectors/drop/delivery-name.js';
import { discardFile, showFile, writePartialFile } from '../../connectors/drop/partial-file.js';
import type { DropStore } from '../../connectors/drop/store.js';
import type { Delivered, DeliveredFile, DeliveryWork } from '../../model/delivery.js';
import { ServiceError } from '../../service/service-error.js';
import type { TalentService } from '../../service/talent-service.js';
import { claimCall, type Deliverable, type DeliverablePart, type DeliveryTools } from './deliverable.js';
import { createSpool, type Spool } from './spool.js';

export interface DeliverySetup {
  readonly tools: Omit<DeliveryTools, 'onPoll'>;
  /** The local folder for unfinished files. */
  readonly spools: string;
  /** Returns the number of writes that the run has sent to the service. */
  countWrites(): number;
  openStore(place: DeliveredReport['place']): DropStore;
}

interface DeliverySetupParts
  extends Omit<DeliverySetup, 'tools' | 'countWrites'>,
    Omit<DeliverySetup['tools'], 'reader' | 'mayCall'> {
  readonly service: Pick<TalentService, 'reader' | 'calls'>;
  /** The maximum number of calls in a run, including calls for reports; null for no limit. */
  readonly callBudget: number | null;
}

/** Builds the delivery setup for the runs of one tenant. */
export function buildDeliverySetup({
  service,
  callBudget,
  spools,
  openStore,
  ...tools
}: DeliverySetupParts): DeliverySetup {
  const mayCall = (): boolean => {
    const { reads, writes } = service.calls;
    return callBudget === null || reads.total + writes.total < callBudget;
  };
  return {
    tools: { reader: service.reader, mayCall, ...tools },
    spools,
    openStore,
    countWrites: () => service.calls.writes.total,
  };
}

/** The stored progress of one delivery, from which another process can resume. */
export interface DeliveryCheckpoint {
  /** The scheduled time that the report is for. */
  readonly slotMs: number;
  readonly work: DeliveryWork | null;
  save(work: DeliveryWork): void;
}

/** The number of attempts to download a file. Each attempt requests an expired link again. */
const FETCHES = 3;

/**
 * Delivers the report for one slot as files with their final names:
 *
 *     list parts ─► begin all ─► fetch one after the other ─► spool ─► lay ─► show
 *                      │ noted                                   noted │
 *
 * | died after | the next process |
 * |---|---|
 * | beginning | resumes the reports that were begun for the same questions; does not begin them again |
 * | fetching, or laying in part | fetches again and overwrites it |
 * | laying all | shows the files not shown yet; makes no call to the service |
 */
export async function deliverOne(
  report: DeliveredReport,
  deliverable: Deliverable,
  memory: DeliveryCheckpoint,
  desk: DeliverySetup,
): Promise<Pick<Delivered, 'parts' | 'polls' | 'files'>> {
  const store = desk.openStore(report.place);
  try {
    const notes = openNotes(memory);
    for (const name of notes.abandoned) await discardFile(store, name);
    const polls = notes.work().laid === null ? await makeFiles({ report, deliverable, notes }, store, desk) : 0;
    const { laid, tickets } = notes.work();
    const files = laid ?? [];
    for (const { name, bytes: size } of files) await showFile(store, { name, size });
    return { parts: Math.max(1, Object.keys(tickets).length), polls, files };
  } finally {
    await store.close();
  }
}

type Notes = ReturnType<typeof openNotes>;

function openNotes({ slotMs, work: before, save }: DeliveryCheckpoint) {
  const isSame = before?.slotMs === slotMs;
  let work: DeliveryWork = isSame ? before : { slotMs, tickets: {}, names: [], laid: null };
  return {
    work: () => work,
    note(change: Partial<DeliveryWork>): void {
      work = { ...work, ...change };
      save(work);
    },
    /** Names of an earlier slot's files that never got their final names. */
    abandoned: isSame ? [] : (before?.names ?? []),
  };
}

interface StartedReport {
  readonly report: DeliveredReport;
  readonly deliverable: Deliverable;
  readonly notes: Notes;
}

/** @returns the number of times the run asked the service if a part is ready */
async function makeFiles(
  { report, deliverable, notes }: StartedReport,
  store: DropStore,
  desk: DeliverySetup,
): Promise<number> {
  let polls = 0;
  const onPoll = (): void => {
    polls += 1;
  };
  const isTable = deliverable.joined === 'one table';
  const parts = await deliverable.listParts({ ...desk.tools, onPoll });
  const names = nameParts(nameReport(report, notes.work().slotMs), isTable ? 1 : parts.length);
  await begin(parts, notes, desk.tools);
  const spools: Spool[] = [];
  try {
    for (const name of names) {
      spools.push(await createSpool(desk.spools, isTable ? 'table' : 'bytes', store.locate(name)));
    }
    for (const [index, part] of parts.entries()) await fetchInto(spools[isTable ? 0 : index], part, notes);
    notes.note({ names });
    notes.note({ laid: await lay(store, names, spools) });
  } finally {
    for (const spool of spools) await spool.close();
  }
  return polls;
}

/** Begins all parts first, because the service produces them in parallel. */
async function begin(
  parts: readonly DeliverablePart[],
  { work, note }: Notes,
  tools: DeliverySetup['tools'],
): Promise<void> {
  const { tickets } = work();
  const kept = Object.fromEntries(
    parts.flatMap(({ question }) => {
      const ticket = tickets[question];
      return ticket === undefined ? [] : [[question, ticket]];
    }),
  );
  for (const part of parts) {
    if (kept[part.question] !== undefined) continue;
    claimCall(tools);
    kept[part.question] = await part.begin();
    note({ tickets: { ...kept } });
  }
}

/** Downloads one part. If the service no longer knows the report, the report is begun again, but only once. */
async function fetchInto(spool: Spool | undefined, part: DeliverablePart, { work, note }: Notes): Promise<void> {
  let isBegunAgain = false;
  for (let fetches = 1; ; ) {
    const error = await tryFetch(spool, part, work().tickets[part.question] ?? '');
    if (error === null) return;
    if (error.status === 404 && !isBegunAgain) {
      isBegunAgain = true;
      note({ tickets: { ...work().tickets, [part.question]: await part.begin() } });
    } else if (error.fault !== 'network' || fetches === FETCHES) throw error;
    else fetches += 1;
  }
}

/** Tries to fetch the file. Returns the service's error, or null if the file was fetched. */
async function tryFetch(spool: Spool | undefined, part: DeliverablePart, ticket: string): Promise<ServiceError | null> {
  try {
    const file = await part.fetch(ticket);
    try {
      await spool?.add(file);
      return null;
    } finally {
      await file.cancel();
    }
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

async function lay(
  store: DropStore,
  names: readonly string[],
  spools: readonly Spool[],
): Promise<readonly DeliveredFile[]> {
  const laid: DeliveredFile[] = [];
  for (const [index, spool] of spools.entries()) {
    const name = names[index] ?? '';
    const facts = spool.facts();
    await writePartialFile(store, { name, size: facts.bytes, bytes: spool.content });
    laid.push({ at: store.locate(name), name, ...facts });
  }
  return laid;
}

/**
 * Returns the file name for a slot, which is always the same. It contains the date and time of the slot in the
 * schedule's time zone.
 */
function nameReport({ name, fileName, schedule }: DeliveredReport, slotMs: number): string {
  return nameFile(fileName.replaceAll('{report}', name), { run: '', atMs: slotMs }, schedule.timezone);
}

/** Names the parts of a file: with three parts, `skills-20261120.xlsx` becomes `skills-20261120-1of3.xlsx` and so on. */
function nameParts(name: string, parts: number): readonly string[] {
  if (parts === 1) return [name];
  const dot = name.lastIndexOf('.');
  return Array.from({ length: parts }, (_, i) => `${name.slice(0, dot)}-${i + 1}of${parts}${name.slice(dot)}`);
}
