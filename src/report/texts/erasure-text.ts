import type { SyncError } from '../../base/errors.js';
import type { ErasureFindings } from '../../store/audit/erasure/erase.js';
import type { FoundPerson } from '../../store/audit/erasure/find-person.js';
import { plural } from '../sections/words.js';
import { joinLines, listWarnings } from '../writers/style.js';

/** Additional information for the operator about an erasure. */
export interface ErasureNotes {
  /** Delivered documents of the person, each by path or address. */
  readonly documents: readonly string[];
  /** True if the last complete delivery of the sources contained the person. */
  readonly isDelivered: boolean;
  /** The current state in the service. `unknown` means that the service could not be read. */
  readonly inService: 'active' | 'deactivated' | 'no' | 'unknown';
  /** Why the service could not be read; null if it could. */
  readonly notAsked: SyncError | null;
  /** True if another process reads the databases, so their logs could not be emptied. */
  readonly isLogInUse: boolean;
}

/** Row names for each table, for people. */
const TABLES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  absences: ['absence', 'absences'],
  acknowledgements: ['acknowledged hold', 'acknowledged holds'],
  departures: ['time of leaving', 'times of leaving'],
  declines: ['declined value', 'declined values'],
  facts: ['remembered fact', 'remembered facts'],
  held_changes: ['change that a guard held', 'changes that a guard held'],
  staged_rows: ['staged row of a source', 'staged rows of sources'],
  pending: ['note of a record to compare', 'notes of records to compare'],
  moved_objects: ['note of a changed object', 'notes of changed objects'],
  link_moves: ['note of a changed link', 'notes of changed links'],
  outbox: ['value written back', 'values written back'],
  pins: ['undone value', 'undone values'],
  pushed_emails: ['address that was pushed', 'addresses that were pushed'],
  pushed_gone: ['deletion that was pushed', 'deletions that were pushed'],
  pushed_members: ['membership that was pushed', 'memberships that were pushed'],
  pushed_resources: ['person or group that was pushed', 'people and groups that were pushed'],
  refusals: ['rejected change', 'rejected changes'],
  resolutions: ['resolved conflict', 'resolved conflicts'],
  sightings: ['value seen', 'values seen'],
  approvals: ['approval of a change', 'approvals of changes'],
  journal: ['call in the journal', 'calls in the journal'],
  marks: ['mark of the mirror', 'marks of the mirror'],
  source_rows: ['row of a source, kept between reads', 'rows of sources, kept between reads'],
  links: ['link with its last agreed values', 'links with their last agreed values'],
  object_keys: ['key in the mirror', 'keys in the mirror'],
  objects: ['object in the mirror', 'objects in the mirror'],
  delivered_documents: ['note of a delivered document', 'notes of delivered documents'],
  runs: [
    'document of a run (only the person is removed from it)',
    'documents of runs (only the person is removed from them)',
  ],
};

/** @param erasure id of the erasure; null if nothing is erased yet */
export function renderErasure(
  found: FoundPerson,
  findings: ErasureFindings,
  notes: ErasureNotes,
  erasure: string | null,
): string {
  const done = erasure !== null;
  return joinLines([...listErasure(found, findings, notes, erasure), ...close(done, notes)]);
}

/** Lists an erasure without the advice for a terminal. */
export function listErasure(
  { person, emails, names, shared }: FoundPerson,
  findings: ErasureFindings,
  notes: ErasureNotes,
  erasure: string | null,
): readonly string[] {
  const { files } = findings;
  const done = erasure !== null;
  const who = [...names, ...emails].join(', ');
  const known = [...person.keys.map((key) => `source key ${key}`), ...person.ids.map((id) => `service id ${id}`)];
  const lines = [
    done ? `Erased (${erasure}):` : 'This would be erased:',
    `  person: ${[who, ...known].filter((part) => part !== '').join('; ')}`,
    ...countErased(findings).map((line) => `  ${line}`),
  ];
  for (const file of notes.documents)
    lines.push(`  ${file}: a delivered document, removed from its folder and manifest`);
  for (const file of files.remove) lines.push(`  ${file}: removed entirely, because it is sealed or cannot be edited`);
  if (files.left.length > 0) {
    lines.push(
      done
        ? '! These still contain the person. Delete them yourself:'
        : '! These contain the person. You have to delete them yourself:',
    );
    lines.push(...files.left.map((file) => `    ${file}`));
  }
  return [...lines, ...warn(shared, notes)];
}

/** Numbers of erased rows and entries, without names. */
export function countErased({ entries, restated, rows }: ErasureFindings): readonly string[] {
  const tables = Object.entries(rows).map(([table, count]) => {
    const [one, many] = TABLES[table] ?? [`row of ${table}`, `rows of ${table}`];
    return plural(count, one, many);
  });
  const others = `${plural(restated, 'audit entry', 'audit entries')} about others, rewritten without the person`;
  return [
    `${plural(entries, 'audit entry', 'audit entries')} about the person`,
    ...(restated === 0 ? [] : [others]),
    ...tables,
  ];
}

function warn(
  shared: readonly string[],
  { isDelivered, inService, notAsked, documents }: ErasureNotes,
): readonly string[] {
  return listWarnings([
    shared.length > 0 && `Others share these values, so they were not searched for on their own: ${shared.join(', ')}`,
    isDelivered &&
      'The sources still deliver the person, so the next run reads them again. Have them removed from the sources first.',
    inService === 'active' &&
      `The account is active in the service. The next run copies it${documents.length > 0 ? ', and delivers its document,' : ''} again, and without a link and a source row, no run deactivates it. Delete or deactivate it there.`,
    notAsked !== null &&
      `The service could not be read (${notAsked.code}): ${notAsked.message.replace(/\.$/, '')}. Check there if the account still exists.`,
    inService === 'deactivated' &&
      'A deactivated account is still in the service: the next full read copies it again. Delete it there.',
  ]);
}

function close(done: boolean, { isLogInUse }: ErasureNotes): readonly string[] {
  if (!done) return ['Nothing has been erased. To erase it, run the same command with --yes.'];
  const inUse = isLogInUse
    ? [
        '! Another process is reading the databases. Deleted text may stay in their -wal files until the end of the next run.',
      ]
    : [];
  return [
    ...inUse,
    'The audit log is still intact. This command does not reach backups and exports elsewhere, delivered reports, logs or the service itself.',
  ];
}
