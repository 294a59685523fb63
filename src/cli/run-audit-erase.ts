import type { App } from '../app/app.js';
import { goInSteps, isoNow } from '../base/clock.js';
import { asSyncError, describeError, SyncError } from '../base/errors.js';
import { newId } from '../planning/saved/summary.js';
import { type ErasureNotes, renderErasure } from '../report/texts/erasure-text.js';
import {
  type ErasureFindings,
  type ErasureOrder,
  eraseInSteps,
  findErasure,
  finishErasure,
} from '../store/audit/erasure/erase.js';
import { type FoundPerson, findPerson } from '../store/audit/erasure/find-person.js';
import { PersonFinder } from '../store/audit/erasure/person.js';
import { isInDatabase } from '../store/erasure-store.js';
import type { Stores } from '../store/open-stores.js';
import {
  erasePersonDocuments,
  findPersonDocuments,
  listPersonDocuments,
  type PersonDocuments,
} from '../writeback/documents/erase-documents.js';
import { type CommandContext, type CommandResult, type LockFlags, nameOperator, readReason } from './context.js';
import { withApp } from './with-app.js';

export interface EraseFlags extends LockFlags {
  readonly person: string;
  readonly reason: string;
  readonly yes?: boolean;
}

/** `audit erase PERSON`: tells what is kept of a person, and with --yes takes it out of everything. */
export function runAuditErase(context: CommandContext, flags: EraseFlags): Promise<CommandResult> {
  return withApp('audit erase', context, flags, (app) => eraseOrTell(app, flags));
}

async function eraseOrTell(app: App, flags: EraseFlags): Promise<CommandResult> {
  const { stores, clock } = app;
  const words = flags.person.trim().replace(/^user:/i, '');
  checkReason(flags.reason);
  if (flags.yes === true) finishErasure(stores);
  // What was answered last belongs into the copy of the service; here, so that it is found there.
  await goInSteps(stores.replayAbsorption(), undefined);
  const found = findPerson(stores, words);
  const { person } = found;
  if (new PersonFinder(person).mentions(flags.reason, 'reason')) throw namesPerson();
  const documents = findPersonDocuments(app.deliveries, person.ids);
  const findings = withBeyond(findErasure(stores, person, isInDatabase), documents);
  if (isNothing(findings, documents)) throw nothingKept(words);
  if (findings.openIntents > 0) throw stillOpen(findings.openIntents);
  const notes = {
    documents: listPersonDocuments(documents),
    ...lookAhead(stores, found),
    ...(await askService(app, found)),
  };
  const { audit } = stores;
  if (flags.yes !== true) return report({ found, findings, notes, erasure: null, audit });
  const order = {
    erasure: newId('e', clock),
    at: isoNow(clock),
    by: nameOperator(),
    reason: readReason(flags),
    documents: notes.documents.length,
    person,
  };
  await erasePersonDocuments(app.deliveries, documents);
  const isClean = carryOut(stores, order);
  return report({ found, findings, notes: { ...notes, isLogInUse: !isClean }, erasure: order.erasure, audit });
}

function carryOut(stores: Stores, order: ErasureOrder): boolean {
  let isClean = false;
  for (const step of eraseInSteps(stores, order)) isClean = step === 'done';
  return isClean;
}

/** Files that are where nobody knows any more are left to the operator, as backups are. */
function withBeyond(findings: ErasureFindings, { beyond }: PersonDocuments): ErasureFindings {
  const { files } = findings;
  return { ...findings, files: { ...files, left: [...files.left, ...beyond] } };
}

function isNothing({ entries, restated, rows, files }: ErasureFindings, { reachable }: PersonDocuments): boolean {
  const inFiles = files.remove.length + files.left.length + reachable.length;
  return entries + restated + inFiles === 0 && Object.keys(rows).length === 0;
}

/** What the operator has to know: who is still delivered or still in the service comes back with the next run. */
function lookAhead(
  { links, history }: Stores,
  { person }: FoundPerson,
): Pick<ErasureNotes, 'isDelivered' | 'isLogInUse'> {
  const linked = person.keys.filter((key) => links.find('users', key) !== null);
  // The row of a leaver most likely goes on saying so.
  const isDelivered = (key: string): boolean => (history.absence('users', key)?.kind ?? 'left') === 'left';
  return { isDelivered: linked.some(isDelivered), isLogInUse: false };
}

/** A call that an operator waits for. */
const ASK_MS = 20_000;

/** What the service itself says of the account now: the copy of it may be older than a deletion. */
async function askService(
  { service, refreshContext }: App,
  { person, emails }: FoundPerson,
): Promise<Pick<ErasureNotes, 'inService' | 'notAsked'>> {
  const { reader } = service;
  const timeout = AbortSignal.timeout(ASK_MS);
  const signal = refreshContext.signal === undefined ? timeout : AbortSignal.any([refreshContext.signal, timeout]);
  const looks =
    person.ids.length > 0
      ? person.ids.map((id) => () => reader.users.get(id, signal))
      : emails.map((email) => () => reader.users.find({ email }, signal));
  try {
    const users = [];
    for (const look of looks) users.push(await look());
    const there = users.filter((user) => user !== null);
    if (there.length === 0) return { inService: 'no', notAsked: null };
    const isActive = there.some(({ deactivated }) => deactivated !== true);
    return { inService: isActive ? 'active' : 'deactivated', notAsked: null };
  } catch (error) {
    refreshContext.signal?.throwIfAborted();
    return { inService: 'unknown', notAsked: asSyncError(error) };
  }
}

interface Erasure {
  readonly found: FoundPerson;
  readonly findings: ErasureFindings;
  readonly notes: ErasureNotes;
  /** Its id; null where it is only told what would be erased. */
  readonly erasure: string | null;
  readonly audit: Stores['audit'];
}

function report({ found, findings, notes, erasure, audit }: Erasure): CommandResult {
  const { person, emails, names, shared } = found;
  const { entries, restated, rows, files } = findings;
  const json = {
    erased: erasure !== null,
    erasure,
    person: { keys: person.keys, ids: person.ids, external_ids: person.refs, emails, names, shared },
    audit_entries: { about: entries, restated },
    rows,
    removed: files.remove,
    documents: notes.documents,
    left: files.left,
    delivered: notes.isDelivered,
    in_service: notes.inService,
    ...(notes.notAsked === null ? {} : { not_asked: describeError(notes.notAsked).error }),
    log_in_use: notes.isLogInUse,
    head: audit.last()?.hash ?? null,
  };
  return { json, text: renderErasure(found, findings, notes, erasure) };
}

/** The reason stays in the log for good, so it may name nobody. */
function checkReason(reason: string): void {
  if (reason.trim() === '') throw usage('The reason is empty.');
  if (reason.includes('@')) throw usage('The reason holds an address.');
}

function namesPerson(): SyncError {
  return usage('The reason names the person.');
}

function usage(message: string): SyncError {
  return new SyncError('SYNC_CLI_USAGE', {
    message,
    place: '--reason',
    remedy:
      'It stays in the audit when the person is gone: name the case instead, as in --reason "erasure request 4711".',
  });
}

function nothingKept(words: string): SyncError {
  return new SyncError('SYNC_NOT_FOUND', {
    message: `Nothing is kept of "${words}".`,
    place: 'audit erase',
    remedy: 'Ask by source key, e-mail, external id or the id in the service.',
  });
}

function stillOpen(count: number): SyncError {
  return new SyncError('SYNC_AUDIT_OPEN_CALLS', {
    message: `${count === 1 ? 'A call' : `${count} calls`} about this person may have reached the service, and nobody has looked yet.`,
    place: 'audit erase',
    remedy: 'Run `talent-sync sync` first: it finds out what became of it. Then erase.',
  });
}
