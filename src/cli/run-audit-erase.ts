import { type ErasureFindings, type ErasureOrder, eraseInSteps, findErasure, finishErasure } from '../audit/erase.js';
import { type FoundPerson, findPerson } from '../audit/find-person.js';
import { createFinder } from '../audit/person.js';
import { sightPlans } from '../audit/person-files.js';
import { isoNow } from '../clock.js';
import { auditPolicy } from '../config/audit-policy.js';
import { SyncError } from '../errors.js';
import { newId } from '../planning/summary.js';
import { type ErasureNotes, renderErasure } from '../report/erasure-text.js';
import { isInDatabase } from '../store/erasure-store.js';
import { openStores, type Stores } from '../store/open-stores.js';
import {
  type CommandContext,
  type CommonOptions,
  type Console,
  nameOperator,
  type Report,
  runCommand,
} from './context.js';
import { holdRunLock, type LockFlags } from './run-lock.js';

export interface EraseFlags extends CommonOptions, LockFlags {
  readonly reason: string;
  readonly yes?: boolean;
}

/** `audit erase PERSON`: tells what is kept of a person, and with --yes takes it out of everything. */
export async function runAuditErase(console: Console, words: string, flags: EraseFlags): Promise<void> {
  await runCommand(console, flags, (context) =>
    holdRunLock(context, 'audit erase', flags, () => {
      const { config, clock } = context;
      const stores = openStores(config.state, { lockedAt: isoNow(clock) }, auditPolicy(config));
      try {
        return eraseOrTell(stores, words.trim().replace(/^user:/i, ''), flags, context);
      } finally {
        stores.close();
      }
    }),
  );
}

function eraseOrTell(stores: Stores, words: string, flags: EraseFlags, { clock }: CommandContext): Report {
  checkReason(flags.reason);
  if (flags.yes === true) finishErasure(stores);
  // What was answered last belongs into the copy of the service; here, so that it is found there.
  stores.replayAbsorption();
  const found = findPerson(stores, words, sightPlans(stores.folder));
  const { person } = found;
  if (createFinder(person).mentions(flags.reason, 'reason')) throw namesPerson();
  const findings = findErasure(stores, person, isInDatabase);
  if (isNothing(findings)) throw nothingKept(words);
  if (findings.openIntents > 0) throw stillOpen(findings.openIntents);
  const notes = lookAhead(stores, found);
  if (flags.yes !== true) return report(found, findings, notes, null, stores);
  const order = { erasure: newId('e', clock), at: isoNow(clock), by: nameOperator(), reason: flags.reason, person };
  const isClean = carryOut(stores, order);
  return report(found, findings, { ...notes, isLogInUse: !isClean }, order.erasure, stores);
}

function carryOut(stores: Stores, order: ErasureOrder): boolean {
  let isClean = false;
  for (const step of eraseInSteps(stores, order)) isClean = step === 'done';
  return isClean;
}

function isNothing({ entries, restated, rows, files }: ErasureFindings): boolean {
  const inFiles = files.remove.length + files.left.length;
  return entries + restated + inFiles === 0 && Object.keys(rows).length === 0;
}

/** What the operator has to know: who is still delivered or still in the service comes back with the next run. */
function lookAhead({ links, history, mirror }: Stores, { person }: FoundPerson): ErasureNotes {
  const linked = person.keys.filter((key) => links.find('users', key) !== null);
  const users = person.ids.flatMap((id) => mirror.get('users', id) ?? []);
  return {
    isDelivered: linked.some((key) => history.absence('users', key) === null),
    inService: users.length === 0 ? 'no' : users.some(({ active }) => active) ? 'active' : 'deactivated',
    isLogInUse: false,
  };
}

function report(
  found: FoundPerson,
  findings: ErasureFindings,
  notes: ErasureNotes,
  erasure: string | null,
  { audit }: Stores,
): Report {
  const { person, emails, names, shared } = found;
  const { entries, restated, rows, files } = findings;
  const json = {
    erased: erasure !== null,
    erasure,
    person: { keys: person.keys, ids: person.ids, external_ids: person.refs, emails, names, shared },
    audit_entries: { about: entries, restated },
    rows,
    removed: files.remove,
    left: files.left,
    delivered: notes.isDelivered,
    in_service: notes.inService,
    log_in_use: notes.isLogInUse,
    head: audit.last()?.hash ?? null,
  };
  return { json, text: renderErasure(found, findings, notes, erasure), exitCode: 0 };
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
