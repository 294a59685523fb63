import { cleanLine } from '../../model/clean-text.js';
import type { AuditEntry, AuditedCall } from '../../store/audit/audit-entry.js';
import type { InChain } from '../../store/audit/audit-log.js';
import type { ListedCounts } from '../../store/audit/count-log.js';
import type { LogKind } from '../../store/audit/entry-kinds.js';
import type { AuditEvent, OfRecords } from '../../store/audit/events.js';
import type { LogLine } from '../../store/audit/read-log.js';
import type { Verification } from '../../store/audit/verify-chain.js';
import { nameOne } from '../sections/kinds.js';
import type { ReportFact } from '../sections/section.js';
import { plural } from '../sections/words.js';
import { foldDifferences } from '../writers/fold-text.js';
import { createStyle, joinLines } from '../writers/style.js';
import { renderFacts } from '../writers/terminal-blocks.js';
import { nameDone, nameLogKind, nameMany } from './audit-names.js';
import { joinSentence, listMoves, tellEntry } from './audit-sentence.js';

/** A log entry as one line of text. */
export function renderLine(line: LogLine): string {
  return cleanLine(describeLine(line));
}

function describeLine(line: LogLine): string {
  const seq = String(line.seq).padStart(6);
  const { at, sentence, ids } = tellEntry(line);
  const what = nameResult(line);
  if (line.kind === 'erased' || at === null) return `${seq}  ${'-'.padEnd(20)}  ${what}      hash ${line.hash}`;
  const content = line.kind === 'restated' ? line.entry : line;
  const forGood = content.kind === 'change' && content.for_good === true ? '  (cannot be undone)' : '';
  const small = ids.length === 0 ? '' : `  [${ids.join(' ')}]`;
  return `${seq}  ${formatSecond(at)}  ${what.padEnd(10)}  ${joinSentence(sentence)}${small}${forGood}`;
}

/** The result of a change, or the kind of an event. */
export function nameResult(line: LogLine): string {
  const content = line.kind === 'restated' ? line.entry : line;
  return content.kind === 'change' ? content.result : nameKind(content.kind);
}

/** Names a kind. Stored entries keep older names of kinds. */
function nameKind(kind: string): string {
  return kind === 'source told' ? 'written back' : kind;
}

/** `2026-11-22 01:33:08Z`. The milliseconds are in `audit show`. */
export function formatSecond(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}Z`;
}

/** All facts of an entry, as text for people. */
export function renderEntry(line: LogLine): string {
  const content = line.kind === 'restated' ? line.entry : line;
  const facts = [...listFacts(line), { name: 'hash', value: line.hash }];
  return joinLines([
    `Entry ${line.seq}: ${content.kind === 'erased' ? 'erased' : content.at}`,
    ...renderFacts(facts, 2 + Math.max(...facts.map(({ name }) => name.length)), 2),
  ]);
}

/** All facts of an entry. */
export function listFacts(line: LogLine): readonly ReportFact[] {
  if (line.kind === 'erased')
    return [{ name: 'why', value: 'the person it was about or named was erased; its time and content are gone' }];
  const content = line.kind === 'restated' ? line.entry : line;
  const facts = content.kind === 'change' ? describeChange(content) : describeFacts(content);
  if (line.kind !== 'restated') return facts;
  return [...facts, { name: 'replaces', value: `entry ${line.of}, erased ${line.at}` }];
}

/** Lists several values with the same name. Only the first row shows the name. */
function factsOf(name: string, values: readonly string[]): readonly ReportFact[] {
  return values.map((value, i) => ({ name: i === 0 ? name : '', value }));
}

function describeChange(entry: AuditEntry): readonly ReportFact[] {
  const { action, entity, label, key, target, cause, place, approval, calls, result, error } = entry;
  const object = `source key ${key}, ${target === null ? 'no id in the service' : `id ${target} in the service`}`;
  const undo = 'cannot be undone: the account and its CV were deleted permanently';
  return [
    ...factsOf('what', [`${action} ${nameOne(entity)} ${label}`]),
    ...factsOf('result', [error === null ? result : `${result}: ${error}`]),
    ...factsOf('object', [object]),
    ...factsOf('why', [`${cause.kind}: ${cause.text}`]),
    ...factsOf('source', [place]),
    ...factsOf('approved', [approval ?? 'not needed: no guard held it']),
    ...factsOf('fields', listFields(entry)),
    ...factsOf('calls', calls.length === 0 ? ['none'] : calls.map(describeCall)),
    ...factsOf('undo', entry.for_good === true ? [undo] : []),
    ...factsOf('run', [entry.run]),
    ...factsOf('change', [entry.change]),
    ...factsOf('note', entry.pseudonymised === true ? ['personal values are pseudonyms'] : []),
  ];
}

function describeCall({ call, status, request_id, proved_by: proof }: AuditedCall): string {
  const proved = proof === undefined ? '' : `, proved by ${proof}`;
  return `${call} → ${status ?? 'no answer'}, request id ${request_id ?? 'unknown'}${proved}`;
}

const FIELDS_WIDTH = 100;

function listFields(entry: AuditEntry): readonly string[] {
  const moved = listMoves(entry);
  return foldDifferences(moved, 0, { width: FIELDS_WIDTH, style: createStyle(false) }, moved.length);
}

function describeFacts(event: Exclude<AuditEvent, { kind: 'restated' }>): readonly ReportFact[] {
  const { kind, at: _at, ...all } = event;
  // Leaves out the position in the chain, which the title and the last row already show.
  const { seq: _seq, hash: _hash, ...facts }: Partial<InChain> & typeof all = all;
  const known = Object.entries(facts).filter(([, value]) => value !== null);
  const rows = known.map(([name, value]) => ({
    name: name.replaceAll('_', ' '),
    value: 'records' in event && name === 'records' ? listRecords(event) : textOfFact(value),
  }));
  return [{ name: 'what', value: nameKind(kind) }, ...rows];
}

function textOfFact(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `deactivate user E1 Jane Doe, deactivate user E2 Kim Lee` */
function listRecords({ records = [] }: OfRecords): string {
  return records.map(({ action, entity, key, label }) => `${action} ${nameOne(entity)} ${key} ${label}`).join(', ');
}

/** `audit list --counts`: counts changes by entity and action, then the other entries by kind. */
export function listCounts({ changes, kinds }: ListedCounts): readonly string[] {
  const rows = [
    ...Object.entries(changes).map(([entity, actions]) => ({
      name: nameMany(entity),
      value: Object.entries(actions)
        .map(([action, count]) => `${count} ${nameDone(action)}`)
        .join(', '),
    })),
    ...Object.entries(kinds).map(([kind, count]) => ({ name: nameLogKind(kind as LogKind), value: String(count) })),
  ];
  return renderFacts(rows, 2 + Math.max(0, ...rows.map(({ name }) => name.length)), 2);
}

/** The output of `audit verify`. */
export function renderVerification({ ok, entries, head, erased, checkpoint, known, broken }: Verification): string {
  if (!ok) {
    return [
      `The audit log is not intact at entry ${broken?.seq}: ${broken?.reason}.`,
      'Restore state.db from a backup, and compare its head with one noted elsewhere.',
    ].join('\n');
  }
  return [
    `The audit log is intact: ${plural(entries, 'entry', 'entries')}, head ${head}`,
    ...(known === null ? [] : [`The head ${known.head} is that of entry ${known.seq}.`]),
    ...(erased === 0 ? [] : [`${plural(erased, 'entry', 'entries')} erased, each explained by an erasure.`]),
    ...(checkpoint === null
      ? []
      : [
          `It begins after entry ${checkpoint.seq}: older entries were removed by ${checkpoint.at}, as audit.keep specifies.`,
        ]),
  ].join('\n');
}
