import type { App } from '../app/app.js';
import { wireApp } from '../app/wire.js';
import { goInSteps, isoNow } from '../base/clock.js';
import { asSyncError, SyncError } from '../base/errors.js';
import { foldKey } from '../model/observed.js';
import { newId } from '../planning/saved/summary.js';
import { countErased, type ErasureNotes, listErasure } from '../report/texts/erasure-text.js';
import {
  type ErasureFindings,
  type ErasureOrder,
  eraseInSteps,
  findErasure,
  finishErasure,
} from '../store/audit/erasure/erase.js';
import { type FoundPerson, findPerson } from '../store/audit/erasure/find-person.js';
import { PersonFinder } from '../store/audit/erasure/person.js';
import { pseudonymOf } from '../store/audit/pseudonyms.js';
import { isInDatabase } from '../store/erasure-store.js';
import type { Stores } from '../store/open-stores.js';
import {
  erasePersonDocuments,
  findPersonDocuments,
  listPersonDocuments,
  type PersonDocuments,
} from '../writeback/documents/erase-documents.js';
import { confirmByTwo } from './confirm-by-two.js';
import type { LockContext } from './with-locked-stores.js';
import type { DecisionContext } from './with-stores.js';

/** A person to look for, and to erase if requested. */
export interface ErasureRequest {
  /** Source key, e-mail, external id, or id in the service. */
  readonly person: string;
  /** A reference to a case, never to the person; null if none was given. */
  readonly reason: string | null;
  readonly by: string;
  /** False to show only what would be erased. */
  readonly erases: boolean;
}

/** Data that an erasure found or removed, and notes for the operator. */
export interface Erasure {
  readonly found: FoundPerson;
  readonly findings: ErasureFindings;
  readonly notes: ErasureNotes;
  /** Id of the erasure; null for a preview. */
  readonly erasure: string | null;
}

/** A preview, which names the person in the words that were used to find them. */
export interface ErasurePreview {
  readonly names: readonly string[];
  /** The e-mail addresses of a person without a known name. */
  readonly emails: readonly string[];
  readonly lines: readonly string[];
  /** The first of two people who requested the erasure; null if there is none. */
  readonly first: string | null;
}

export interface ErasureWord {
  readonly person: string;
  /** The typed name, which must be a name of the person. */
  readonly name: string;
  readonly reason: string;
}

/** The result of an erasure, without a name. */
export interface GivenErasure {
  /** Null while the erasure waits for a second person. */
  readonly erasure: string | null;
  readonly lines: readonly string[];
  /** Number of files that contain the person and must be removed by hand. */
  readonly left: number;
}

/** @throws SyncError SYNC_NOT_FOUND, SYNC_AUDIT_OPEN_CALLS, SYNC_STATE_LOCKED */
export function previewErasure(
  context: DecisionContext & LockContext,
  { person }: Pick<ErasureWord, 'person'>,
): Promise<ErasurePreview> {
  return inApp(context, async (app) => {
    const { found, findings, notes } = await lookOrErase(app, { person, reason: null, by: context.by, erases: false });
    const { names, emails } = found;
    const first = app.stores.history.halfApprovalsAt(isoNow(app.clock)).get(subjectOf(app, found))?.who ?? null;
    return { names, emails: names.length === 0 ? emails : [], lines: listErasure(found, findings, notes, null), first };
  });
}

/**
 * Erases a person. With `approvals.four_eyes`, this happens only after a second person has confirmed.
 *
 * @throws SyncError SYNC_NOT_FOUND, SYNC_AUDIT_OPEN_CALLS, SYNC_CLI_USAGE for a wrong name or a reason that names a person,
 * SYNC_APPROVAL_SECOND, SYNC_APPROVAL_UNPROVEN, SYNC_STATE_LOCKED
 */
export function erasePerson(
  context: DecisionContext & LockContext,
  { person, name, reason }: ErasureWord,
): Promise<GivenErasure> {
  return inApp(context, async (app) => {
    const { by } = context;
    const { found } = await lookOrErase(app, { person, reason, by, erases: false });
    checkName(found, name);
    if (!confirm(app, context, found, reason)) return { erasure: null, lines: [], left: 0 };
    const { findings, erasure } = await lookOrErase(app, { person, reason, by, erases: true });
    return { erasure, lines: countErased(findings), left: findings.files.left.length };
  });
}

async function inApp<T>(context: LockContext, work: (app: App) => Promise<T>): Promise<T> {
  const app = await wireApp(context.config, { ...context, asOf: null });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/**
 * Finds a person in all stored data, and erases them if requested.
 *
 * @throws SyncError SYNC_NOT_FOUND, SYNC_AUDIT_OPEN_CALLS, SYNC_CLI_USAGE
 */
export async function lookOrErase(app: App, { person: asked, reason, by, erases }: ErasureRequest): Promise<Erasure> {
  const { stores, clock } = app;
  const words = asked.trim().replace(/^user:/i, '');
  if (erases) finishErasure(stores);
  // The service's latest responses are absorbed into the mirror first, so that the search finds them.
  await goInSteps(stores.replayAbsorption(), undefined);
  const found = findPerson(stores, words);
  const { person } = found;
  if (reason !== null) checkReason(reason, found);
  const documents = findPersonDocuments(app.deliveries, person.ids);
  const findings = withBeyond(findErasure(stores, person, isInDatabase), documents);
  if (isNothing(findings, documents)) throw nothingKept(words);
  if (findings.openIntents > 0) throw stillOpen(findings.openIntents);
  const notes = {
    documents: listPersonDocuments(documents),
    ...lookAhead(stores, found),
    ...(await askService(app, found)),
  };
  if (!erases || reason === null) return { found, findings, notes, erasure: null };
  const order = {
    erasure: newId('e', clock),
    at: isoNow(clock),
    by,
    reason,
    documents: notes.documents.length,
    person,
  };
  await erasePersonDocuments(app.deliveries, documents);
  const isClean = carryOut(stores, order);
  return { found, findings, notes: { ...notes, isLogInUse: !isClean }, erasure: order.erasure };
}

/** Approvals use a pseudonym for the person. */
function subjectOf({ stores }: App, { person, emails }: FoundPerson): string {
  const [name = ''] = [...person.keys, ...person.ids, ...emails];
  return `erase:${pseudonymOf(stores.audit.makePseudonymKey(), name)}`;
}

/** True if one person is enough, or if this is the second confirmation. */
function confirm(app: App, context: DecisionContext, found: FoundPerson, reason: string): boolean {
  const { stores } = app;
  if (!context.config.approvals.fourEyes) return true;
  const step = { subject: subjectOf(app, found), guard: 'erase', plan: '', reason };
  return stores.state.transaction(() => confirmByTwo(stores, context, step));
}

function checkName({ names, emails }: FoundPerson, typed: string): void {
  const known = names.length === 0 ? emails : names;
  if (known.some((name) => foldKey(name) === foldKey(typed))) return;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: 'This is not the name of the person.',
    place: 'name',
    remedy: `Type the name that is shown${names.length === 0 ? '; for this person, only an address is known' : ''}.`,
  });
}

function carryOut(stores: Stores, order: ErasureOrder): boolean {
  let isClean = false;
  for (const step of eraseInSteps(stores, order)) isClean = step === 'done';
  return isClean;
}

/** Adds files in places that are no longer known. Like backups, they are left to the operator. */
function withBeyond(findings: ErasureFindings, { beyond }: PersonDocuments): ErasureFindings {
  const { files } = findings;
  return { ...findings, files: { ...files, left: [...files.left, ...beyond] } };
}

function isNothing({ entries, restated, rows, files }: ErasureFindings, { reachable }: PersonDocuments): boolean {
  const inFiles = files.remove.length + files.left.length + reachable.length;
  return entries + restated + inFiles === 0 && Object.keys(rows).length === 0;
}

/** Checks if the person is still delivered. The next run would then store them again, so the operator must know. */
function lookAhead(
  { links, history }: Stores,
  { person }: FoundPerson,
): Pick<ErasureNotes, 'isDelivered' | 'isLogInUse'> {
  const linked = person.keys.filter((key) => links.find('users', key) !== null);
  // A row that marks the person as a leaver is probably still delivered.
  const isDelivered = (key: string): boolean => (history.absence('users', key)?.kind ?? 'left') === 'left';
  return { isDelivered: linked.some(isDelivered), isLogInUse: false };
}

/** Time limit for the call, because an operator is waiting. */
const ASK_MS = 20_000;

/** Asks the service about the account, because a deletion may be newer than the mirror. */
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

/** Rejects a reason that names the person, because the reason stays in the log permanently. */
function checkReason(reason: string, { person }: FoundPerson): void {
  if (reason.trim() === '') throw usage('The reason is empty.');
  if (reason.includes('@')) throw usage('The reason contains an address.');
  if (new PersonFinder(person).mentions(reason, 'reason')) throw usage('The reason names the person.');
}

function usage(message: string): SyncError {
  return new SyncError('SYNC_CLI_USAGE', {
    message,
    place: '--reason',
    remedy:
      'The reason stays in the audit log after the erasure: name the case instead, as in --reason "erasure request 4711".',
  });
}

function nothingKept(words: string): SyncError {
  return new SyncError('SYNC_NOT_FOUND', {
    message: `Nothing is stored about "${words}".`,
    place: 'audit erase',
    remedy: 'Ask by source key, e-mail, external id or the id in the service.',
  });
}

function stillOpen(count: number): SyncError {
  return new SyncError('SYNC_AUDIT_OPEN_CALLS', {
    message: `${count === 1 ? 'A call' : `${count} calls`} about this person may have reached the service, but the outcome is not known yet.`,
    place: 'audit erase',
    remedy: 'Run `talent-sync sync` first to find out the outcome. Then erase.',
  });
}
