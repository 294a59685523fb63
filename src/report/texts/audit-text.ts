import { cleanLine } from '../../model/clean-text.js';
import { showGuard } from '../../model/held-source.js';
import { objectOf } from '../../model/json.js';
import { shortenDigest } from '../../model/sha256.js';
import type { AuditEntry, AuditedCall } from '../../store/audit/audit-entry.js';
import type { InChain } from '../../store/audit/audit-log.js';
import type { AuditEvent } from '../../store/audit/events.js';
import type { LogLine } from '../../store/audit/read-log.js';
import type { Verification } from '../../store/audit/verify-chain.js';
import { listDifferences } from '../sections/differences.js';
import { nameOne } from '../sections/kinds.js';
import type { ReportFact } from '../sections/section.js';
import { plural } from '../sections/words.js';
import { foldDifferences } from '../writers/fold-text.js';
import { clip, createStyle, joinLines } from '../writers/style.js';
import { renderFacts } from '../writers/terminal-blocks.js';

/** A line of the log in one line of text. */
export function renderLine(line: LogLine): string {
  return cleanLine(describeLine(line));
}

function describeLine(line: LogLine): string {
  const seq = String(line.seq).padStart(6);
  const { at, what, text } = summariseLine(line);
  if (at === null) return `${seq}  ${'-'.padEnd(20)}  ${what}      ${text}`;
  const content = line.kind === 'restated' ? line.entry : line;
  const ids = content.kind === 'change' ? content.calls.map(({ request_id }) => request_id ?? '-').join(' ') : null;
  const forGood = content.kind === 'change' && content.for_good === true ? '  (cannot be undone)' : '';
  const again = line.kind === 'restated' ? ` (restated for ${line.of}, without a person who was erased)` : '';
  return `${seq}  ${formatSecond(at)}  ${what.padEnd(10)}  ${text}${ids === null ? '' : `  [${ids}]`}${forGood}${again}`;
}

/** A line in few words: when, what became of it, and what it is about. */
export function summariseLine(line: LogLine): {
  readonly at: string | null;
  readonly what: string;
  readonly text: string;
} {
  if (line.kind === 'erased') return { at: null, what: 'erased', text: `hash ${line.hash}` };
  const content = line.kind === 'restated' ? line.entry : line;
  const { at, kind } = content;
  if (content.kind !== 'change') return { at, what: nameKind(kind), text: describeEvent(content) };
  const { result, action, entity, label, cause } = content;
  return { at, what: result, text: `${action} ${nameOne(entity)} ${clip(label, 60)}: ${clip(cause.text, 80)}` };
}

/** Entries keep the names that kinds had when they were written. */
function nameKind(kind: string): string {
  return kind === 'source told' ? 'written back' : kind;
}

/** `2026-11-22 01:33:08Z`; `audit show` has the milliseconds. */
export function formatSecond(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}Z`;
}

/** Everything that a line tells, for a person. */
export function renderEntry(line: LogLine): string {
  const content = line.kind === 'restated' ? line.entry : line;
  const facts = [...listFacts(line), { name: 'hash', value: line.hash }];
  return joinLines([
    `Entry ${line.seq}: ${content.kind === 'erased' ? 'erased' : content.at}`,
    ...renderFacts(facts, 2 + Math.max(...facts.map(({ name }) => name.length)), 2),
  ]);
}

/** All that a line tells. */
export function listFacts(line: LogLine): readonly ReportFact[] {
  if (line.kind === 'erased')
    return [{ name: 'why', value: 'a person whom it was about or named was erased; time and content are gone' }];
  const content = line.kind === 'restated' ? line.entry : line;
  const facts = content.kind === 'change' ? describeChange(content) : describeFacts(content);
  if (line.kind !== 'restated') return facts;
  return [...facts, { name: 'instead', value: `of entry ${line.of}, erased ${line.at}` }];
}

/** Several values of one name, which only the first shows. */
function factsOf(name: string, values: readonly string[]): readonly ReportFact[] {
  return values.map((value, i) => ({ name: i === 0 ? name : '', value }));
}

function describeChange(entry: AuditEntry): readonly ReportFact[] {
  const { action, entity, label, key, target, cause, place, approval, calls, result, error } = entry;
  const object = `source key ${key}, ${target === null ? 'no id in the service' : `id ${target} in the service`}`;
  const undo = 'cannot be undone: the account is gone for good, and its CV with it';
  return [
    ...factsOf('what', [`${action} ${nameOne(entity)} ${label}`]),
    ...factsOf('result', [error === null ? result : `${result}: ${error}`]),
    ...factsOf('object', [object]),
    ...factsOf('why', [`${cause.kind}: ${cause.text}`]),
    ...factsOf('source', [place]),
    ...factsOf('approved', [approval ?? 'no guard asked']),
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

function listFields({ entity, ...entry }: AuditEntry): readonly string[] {
  const [before, after] = [objectOf(entry.before), objectOf(entry.after)];
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const moved = listDifferences({ entity, fields, before, after });
  return foldDifferences(moved, 0, { width: FIELDS_WIDTH, style: createStyle(false) }, moved.length);
}

function describeFacts(event: Exclude<AuditEvent, { kind: 'restated' }>): readonly ReportFact[] {
  const { kind, at: _at, ...all } = event;
  // As it was read, with its place in the chain: that is in the title and in the last row.
  const { seq: _seq, hash: _hash, ...facts }: Partial<InChain> & typeof all = all;
  const known = Object.entries(facts).filter(([, value]) => value !== null);
  const rows = known.map(([name, value]) => ({
    name: name.replaceAll('_', ' '),
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));
  return [{ name: 'what', value: nameKind(kind) }, ...rows];
}

type DeclineEvent = Extract<AuditEvent, { kind: 'change declined' | 'decline revoked' | 'decline ended' }>;

function describeDecline(event: DeclineEvent): string {
  const { decline, by, reason, changes, kind } = event;
  const what = `${decline}, for ${plural(changes.length, 'change')}`;
  if (kind === 'decline ended')
    return `${what}: ${event.because === 'date came' ? 'its date came' : 'the source changed'}`;
  const why = reason || 'no reason given';
  if (kind === 'decline revoked') return `${decline} by ${by}, for ${plural(changes.length, 'change')}: ${why}`;
  const end = event.until === null ? 'the source value changes' : formatSecond(event.until);
  return `${decline} by ${by} for ${plural(changes.length, 'change')}, until ${end}: ${why}`;
}

function nameToken(token: string | null): string {
  return token === null ? 'next to the state' : `token ${token}`;
}

function describeEvent(event: Exclude<AuditEvent, { kind: 'restated' }>): string {
  switch (event.kind) {
    case 'run started':
      return `${event.run} (${event.by}), configuration ${event.config}`;
    case 'approval asked':
      return `${event.approval} by ${event.by}, the first of two, for ${plural(event.changes.length, 'change')} (${event.guards.map(showGuard).join(', ')}): ${event.reason || 'no reason given'}`;
    case 'approval given':
      return `${event.approval} by ${event.by} for ${plural(event.changes.length, 'change')} (${event.guards.map(showGuard).join(', ')})${event.confirms === undefined ? '' : `, after ${event.confirms.join(', ')}`}: ${event.reason || 'no reason given'}`;
    case 'approval revoked':
      return `${event.approval} by ${event.by}, ${plural(event.changes.length, 'change')} not carried out: ${event.reason || 'no reason given'}`;
    case 'approval lapsed':
      return `${event.approval}: ${plural(event.changes.length, 'change')} not carried out${event.because === undefined ? ' in time' : `: ${event.because}`}`;
    case 'decisions lapsed':
      return `${plural(event.holds.length, 'acknowledgement')} and ${plural(event.questions.length, 'answer')}: ${event.because}`;
    case 'change declined':
    case 'decline revoked':
    case 'decline ended':
      return describeDecline(event);
    case 'person erased':
      return `${event.erasure} by ${event.by}, ${plural(event.entries, 'entry', 'entries')}: ${event.reason}`;
    case 'entries expired':
      return `${plural(event.removed, 'entry', 'entries')} up to ${event.checkpoint.seq}`;
    case 'source told':
      return `${event.source} ${event.record} (${event.label}), ${Object.keys(objectOf(event.after)).join(', ')}: ${event.result}, ${event.where}`;
    case 'conflict resolved':
      return `${shortenDigest(event.question)} by ${event.by}: the ${event.winner} is right (${event.entity}:${event.key}): ${event.reason || 'no reason given'}`;
    case 'hold acknowledged':
      return `${shortenDigest(event.hold)} (${event.entity}:${event.key}, ${event.code}) by ${event.by}${event.until === null ? '' : ` until ${event.until}`}: ${event.reason}`;
    case 'acknowledgement revoked':
      return `${shortenDigest(event.hold)} (${event.entity}:${event.key}) by ${event.by}: ${event.reason || 'no reason given'}`;
    case 'assistant read':
      return `for ${event.by}, ${nameToken(event.token)}; the access log lists its reads`;
    case 'report delivered':
      return `${event.report} (${event.of}) to ${event.files.map(({ at }) => at).join(', ')}`;
    case 'document delivered':
    case 'document removed':
      return `${event.file} (${event.delivery}, ${event.entity}:${event.target})`;
    case 'state moved':
      return `from ${event.from ?? 'no account'} to ${event.to} by ${event.by}; ${event.found} of ${event.compared} linked objects found there`;
    case 'state restored':
      return `from ${event.file} by ${event.by}, instead of ${event.replaced === null ? 'nothing' : plural(event.replaced.entries, 'entry', 'entries')}`;
  }
}

/** What `audit verify` says. */
export function renderVerification({ ok, entries, head, erased, checkpoint, known, broken }: Verification): string {
  if (!ok) {
    return [
      `The audit is broken at entry ${broken?.seq}: ${broken?.reason}.`,
      'Restore state.db from a backup, and compare heads noted elsewhere.',
    ].join('\n');
  }
  return [
    `The audit is whole: ${plural(entries, 'entry', 'entries')}, head ${head}`,
    ...(known === null ? [] : [`The head ${known.head} is that of entry ${known.seq}.`]),
    ...(erased === 0 ? [] : [`${plural(erased, 'entry', 'entries')} erased, each explained by an erasure.`]),
    ...(checkpoint === null
      ? []
      : [
          `It begins after entry ${checkpoint.seq}: what was older was removed by ${checkpoint.at}, as audit.keep says.`,
        ]),
  ].join('\n');
}
