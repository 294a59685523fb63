import { showGuard } from '../../model/held-source.js';
import { objectOf } from '../../model/json.js';
import { SOURCE_KEY } from '../../model/plan.js';
import type { AuditEntry } from '../../store/audit/audit-entry.js';
import type { EntryContent } from '../../store/audit/entry-kinds.js';
import type { OfRecords, SourceWritten } from '../../store/audit/events.js';
import type { LogLine } from '../../store/audit/read-log.js';
import { listDifferences, type ValueDifference } from '../sections/differences.js';
import { nameOne, type Tone } from '../sections/kinds.js';
import { formatMinute, plural } from '../sections/words.js';
import { nameField } from './audit-names.js';

/** A piece of a sentence: our own text, or a value from the data, which pages isolate and highlight. */
export type SentencePart = string | { readonly value: string };

/** An audit entry in words, for pages and terminals. */
export interface ToldEntry {
  /** ISO 8601; null once the entry is erased. */
  readonly at: string | null;
  /** The sentence without a full stop. */
  readonly sentence: readonly SentencePart[];
  readonly tone: Tone;
  /** Ids of the pages with more details. */
  readonly links: { readonly run: string | null; readonly plan: string | null };
  /** Ids in small print: of a started run, an approval, a decline, a hold, or the requests. */
  readonly ids: readonly string[];
}

type Parts = readonly SentencePart[];

/** @param endOf formats the end of a decision, an ISO 8601 moment, for the reader */
export function tellEntry(line: LogLine, endOf: EndWriter = formatMinute): ToldEntry {
  if (line.kind === 'erased') {
    const sentence = ['This entry was erased together with the person it was about or named'];
    return { at: null, sentence, tone: 'plain', links: { run: null, plan: null }, ids: [] };
  }
  const content = line.kind === 'restated' ? line.entry : line;
  const again = line.kind === 'restated' ? [` (rewritten for entry ${line.of} when a person was erased)`] : [];
  const [run, plan] = [
    'run' in content && typeof content.run === 'string' ? content.run : null,
    'plan' in content && typeof content.plan === 'string' ? content.plan : null,
  ];
  return {
    at: content.at,
    sentence: [...beginSentence(tellContent(content, endOf)), ...again],
    tone: toneOf(content),
    links: { run, plan },
    ids: listIds(content),
  };
}

export function joinSentence(sentence: readonly SentencePart[]): string {
  return sentence.map((part) => (typeof part === 'string' ? part : part.value)).join('');
}

/** Capitalises the sentence unless it begins with a value. */
function beginSentence([first = '', ...others]: Parts): Parts {
  return [typeof first === 'string' ? `${first.charAt(0).toUpperCase()}${first.slice(1)}` : first, ...others];
}

function value(text: string): SentencePart {
  return { value: text };
}

const TONES: Readonly<Record<string, Tone>> = {
  done: 'good',
  refused: 'bad',
  lost: 'bad',
  'in part': 'warn',
  'not taken': 'warn',
};

function toneOf(content: EntryContent): Tone {
  return 'result' in content ? (TONES[content.result] ?? 'plain') : 'plain';
}

function listIds(content: EntryContent): readonly string[] {
  switch (content.kind) {
    case 'change':
      return content.calls.map(({ request_id }) => request_id ?? '-');
    case 'run started':
      return [content.run];
    case 'approval asked':
    case 'approval given':
    case 'approval revoked':
    case 'approval lapsed':
      return [content.approval];
    case 'change declined':
    case 'decline revoked':
    case 'decline ended':
      return [content.decline];
    case 'hold acknowledged':
    case 'acknowledgement revoked':
      return [content.hold.slice(0, 12)];
    case 'conflict resolved':
    case 'conflict reopened':
      return [content.question.slice(0, 12)];
    case 'person erased':
      return [content.erasure];
    default:
      return [];
  }
}

/** The name in `Jane Doe <jane@example.com>`. */
function nameOf({ label, key }: { readonly label: string; readonly key: string }): string {
  return label.replace(/\s*<[^>]*>\s*$/, '') || label || key;
}

/** `Jane Doe`, `customer Acme`. */
function tellObject(of: { readonly entity: string; readonly label: string; readonly key: string }): Parts {
  return of.entity === 'users' ? [value(nameOf(of))] : [`${nameOne(of.entity)} `, value(nameOf(of))];
}

/** Maximum number of fields whose values a sentence shows. The facts of the entry list all fields. */
const MOST_VALUES = 2;

/** The verbs for a successful and for a failed change. */
interface Verb {
  readonly done: string;
  readonly failed: string;
}

const VERBS: Readonly<Record<string, Verb>> = {
  create: { done: 'was created', failed: 'could not be created' },
  deactivate: { done: 'was deactivated', failed: 'could not be deactivated' },
  reactivate: { done: 'was reactivated', failed: 'could not be reactivated' },
  delete: { done: 'was deleted', failed: 'could not be deleted' },
};

function tellChange(entry: AuditEntry): Parts {
  const isFailed = entry.result === 'refused' || entry.result === 'lost';
  return [...tellAction(entry, isFailed), ...(isFailed ? [] : tellCause(entry)), ...tellResult(entry)];
}

function tellAction(entry: AuditEntry, isFailed: boolean): Parts {
  const verb = VERBS[entry.action];
  if (verb !== undefined) return [...tellObject(entry), ` ${isFailed ? verb.failed : verb.done}`];
  if (entry.action === 'relink') return tellRelink(entry, isFailed);
  const verbOf = entry.cause.kind === 'drifted' ? 'reset' : 'changed';
  return tellMoves(listMoves(entry), tellObject(entry), isFailed ? `could not be ${verbOf}` : verbOf);
}

function tellRelink(entry: AuditEntry, isFailed: boolean): Parts {
  const [from, to] = [objectOf(entry.before)[SOURCE_KEY], objectOf(entry.after)[SOURCE_KEY]];
  const object = tellObject(entry);
  if (to === null || to === undefined)
    return [...object, isFailed ? ' could not be unlinked from key ' : ' was unlinked from key ', value(entry.key)];
  const before = typeof from === 'string' ? [', in place of ', value(from)] : [];
  return [...object, isFailed ? ' could not be linked to key ' : ' was linked to key ', value(String(to)), ...before];
}

/** The values that an entry changed. */
export function listMoves({ entity, ...entry }: AuditEntry): readonly ValueDifference[] {
  const [before, after] = [objectOf(entry.before), objectOf(entry.after)];
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return listDifferences({ entity, fields, before, after });
}

/** `title of Jane Doe changed from Consultant to Manager` */
function tellMoves(moves: readonly ValueDifference[], object: Parts, verb: string): Parts {
  const [first] = moves;
  if (first === undefined) return [...object, ` was ${verb}`];
  if (moves.length > MOST_VALUES) {
    const names = [...new Set(moves.map(({ field }) => nameField(field)))];
    const shown = names.slice(0, MOST_VALUES).join(', ');
    const others = names.length - MOST_VALUES;
    return [others > 0 ? `${shown} and ${others} more` : shown, ' of ', ...object, ` ${verb}`];
  }
  return moves.flatMap((move, i): Parts => {
    const name = nameMoved(move.field, moves);
    const subject = i === 0 ? [`${name} of `, ...object, ` ${verb} `] : [`, ${name} `];
    return [...subject, ...tellMove(move)];
  });
}

/** Names a changed field. Includes the language if several languages of the field change. */
function nameMoved(path: string, moves: readonly ValueDifference[]): string {
  const top = path.replace(/\.[a-z]{2}$/, '');
  return nameField(moves.some(({ field }) => field !== path && field.startsWith(`${top}.`)) ? path : top);
}

function tellMove({ before, after }: ValueDifference): Parts {
  if (after === null) return ['from ', value(before ?? ''), ' to nothing'];
  return before === null ? ['to ', value(after)] : ['from ', value(before), ' to ', value(after)];
}

/** The source in a place: `hr` in `hr employees-2025.csv:17`. */
function sourceOf(place: string): SentencePart {
  const [source = ''] = place.split(' ');
  return source === '' || source === place ? 'the source' : value(source);
}

type Because = (entry: AuditEntry, source: SentencePart) => Parts;

/** Why a change was proposed. A cause that is not listed here keeps its own text. */
const CAUSES: Readonly<Record<string, Because>> = {
  joined: (_entry, source) => ['it is in ', source, ' and was not in the service'],
  changed: (_entry, source) => ['it changed in ', source],
  drifted: ({ action }, source) => [source, ` owns it; it had been ${DRIFTS[action] ?? 'changed'} in the service`],
  configured: () => ['the configuration was edited'],
  first_contact: (_entry, source) => ['it differed from ', source, ' when both were first compared'],
  left: (_entry, source) => [source, ' says that this person has left'],
  absent: (_entry, source) => [source, ' no longer has the record'],
  returned: (_entry, source) => [source, ' has it as active again'],
  gone: (_entry, source) => [source, ' no longer has it'],
  out_of_scope: () => ['the record is no longer in scope'],
  absent_since_edit: (_entry, source) => ['the record is gone from ', source, ' since its configuration was edited'],
  freed: () => ['somebody else needs the value, and the account is inactive'],
  parked: () => ['another object takes the value; this object gets its new value later'],
  referenced: () => ['a record refers to it'],
  relinked: () => ['its record has a new key'],
  relinked_since_edit: () => ['its record has a new key since the configuration was edited'],
  by_hand: () => ['a person decided it'],
  undone: ({ undoes }) => [
    ...(undoes?.by === undefined ? ['somebody'] : [value(undoes.by)]),
    ' undid run ',
    value(undoes?.run ?? ''),
    ...(undoes?.by === undefined ? [] : tellReason(undoes.reason ?? '')),
  ],
  unowned: () => ['no source knows it'],
};

/** How someone else changed an object that a source owns, by the action that reverts the change. */
const DRIFTS: Readonly<Record<string, string>> = {
  create: 'deleted',
  reactivate: 'deactivated',
};

function tellCause(entry: AuditEntry): Parts {
  const because = CAUSES[entry.cause.kind];
  const parts = because?.(entry, sourceOf(entry.place)) ?? [value(entry.cause.text)];
  return [', because ', ...parts];
}

type EndResult = AuditEntry['result'] | SourceWritten['result'];

const RESULTS: Readonly<Record<EndResult, string>> = {
  done: '',
  'already so': '; this was already the case, so nothing was sent',
  'not taken': '; the service kept other values',
  'in part': '; only a part of it went through',
  refused: ': it was rejected',
  lost: ': there was no answer, and nothing shows that the change was made',
};

function tellResult({ result, error }: { readonly result: EndResult; readonly error: string | null }): Parts {
  const said = RESULTS[result];
  return error === null ? [said] : [said, ': ', value(error)];
}

function tellWritten(written: SourceWritten): Parts {
  const isFailed = written.result !== 'done';
  const names = Object.keys(objectOf(written.after)).map(nameField).join(', ');
  const verb = isFailed ? 'could not be written to' : 'written to';
  const object = tellObject(written);
  return [names, ' of ', ...object, ` ${verb} `, value(written.source), ...tellResult(written)];
}

/** `: two offices closed` */
function tellReason(reason: string): Parts {
  return reason === '' ? [', without a reason'] : [': ', value(reason)];
}

/** `(users.deactivate)` */
function tellGuards(guards: readonly string[]): string {
  return guards.length === 0 ? '' : ` (${guards.map(showGuard).join(', ')})`;
}

type EndWriter = (iso: string) => string;

/** `until 2026-12-31`; without a time, the alternative text. */
function tellUntil(until: string | null, endOf: EndWriter, otherwise: string): string {
  return until === null ? otherwise : ` until ${endOf(until)}`;
}

const NOUNS: Readonly<Record<string, string>> = {
  create: 'the creation',
  deactivate: 'the deactivation',
  reactivate: 'the reactivation',
  delete: 'the deletion',
};

/** `the deactivation of Jane Doe and 2 others`; only the number in an entry of an older version. */
function nameDecided({ changes, records = [] }: OfRecords & { readonly changes: readonly string[] }): Parts {
  const [first] = records;
  if (first === undefined) return [plural(changes.length, 'change')];
  const isAlike = records.every(({ action }) => action === first.action);
  const noun = (isAlike ? NOUNS[first.action] : undefined) ?? (changes.length === 1 ? 'a change' : 'changes');
  const others = changes.length - 1;
  return [`${noun} of `, ...tellObject(first), others > 0 ? ` and ${plural(others, 'other')}` : ''];
}

type EventOf<Kind extends EntryContent['kind']> = Extract<EntryContent, { kind: Kind }>;

const TOLD: { readonly [Kind in EntryContent['kind']]: (content: EventOf<Kind>, endOf: EndWriter) => Parts } = {
  change: tellChange,
  'source told': tellWritten,
  'run started': ({ by, command }) => [
    value(by.replace(/(: |, process ).*$/s, '')),
    ' started a run: ',
    value(command),
  ],
  'approval asked': (event) => [
    value(event.by),
    ' approved ',
    ...nameDecided(event),
    `${tellGuards(event.guards)} as the first of two people`,
    ...tellReason(event.reason),
  ],
  'approval given': (event) => [
    value(event.by),
    ' approved ',
    ...nameDecided(event),
    `${tellGuards(event.guards)}${event.confirms === undefined ? '' : ' as the second of two people'}`,
    ...tellReason(event.reason),
  ],
  'approval revoked': (event) => [
    value(event.by),
    ' revoked an approval; ',
    ...nameDecided(event),
    ' not carried out',
    ...tellReason(event.reason),
  ],
  'approval lapsed': (event) => [
    'An approval lapsed; ',
    ...nameDecided(event),
    ' not carried out',
    ...(event.because === undefined ? [' in time'] : [': ', value(event.because)]),
  ],
  'decisions lapsed': ({ holds, questions, because }) => [
    `${plural(holds.length, 'acknowledgement')} and ${plural(questions.length, 'answer')} lapsed: `,
    value(because),
  ],
  'change declined': (event, endOf) => [
    value(event.by),
    ' declined ',
    ...nameDecided(event),
    tellUntil(event.until, endOf, ' until the source value changes'),
    ...tellReason(event.reason),
  ],
  'decline revoked': (event) => [
    value(event.by),
    ' revoked the decline of ',
    ...nameDecided(event),
    ...tellReason(event.reason),
  ],
  'decline ended': (event) => [
    'The decline of ',
    ...nameDecided(event),
    ` ended: ${event.because === 'date came' ? 'its date came' : 'the source changed'}`,
  ],
  'pins released': ({ by, entity, key, fields, reason }) => [
    value(by),
    ` lets runs write ${fields.map(nameField).join(', ')} of ${nameOne(entity)} `,
    value(key),
    ' again',
    ...tellReason(reason),
  ],
  paused: ({ by, until, reason }, endOf) => [
    value(by),
    ` paused the tenant${tellUntil(until, endOf, '')}`,
    ...tellReason(reason),
  ],
  resumed: ({ by, until, reason }, endOf) => [
    value(by),
    ` ended the pause${tellUntil(until, endOf, '')}`,
    ...tellReason(reason),
  ],
  'assistant read': ({ by }) => ['An assistant read for the first time that day, for ', value(by)],
  'person erased': ({ by, entries, reason }) => [
    value(by),
    ` erased a person from ${plural(entries, 'entry', 'entries')}`,
    ...tellReason(reason),
  ],
  'entries expired': ({ removed }) => [`${plural(removed, 'entry', 'entries')} older than audit.keep were removed`],
  'conflict resolved': ({ by, winner, entity, key, reason }) => [
    value(by),
    ` decided a conflict: the ${winner} is right about ${nameOne(entity)} `,
    value(key),
    ...tellReason(reason),
  ],
  'conflict reopened': ({ by, entity, key, reason }) => [
    value(by),
    ` revoked the decision about ${nameOne(entity)} `,
    value(key),
    ...tellReason(reason),
  ],
  'hold acknowledged': ({ by, entity, key, until, reason }, endOf) => [
    value(by),
    ` left ${nameOne(entity)} `,
    value(key),
    ` on hold${tellUntil(until, endOf, '')}`,
    ...tellReason(reason),
  ],
  'acknowledgement revoked': ({ by, entity, key, reason }) => [
    value(by),
    ` no longer leaves ${nameOne(entity)} `,
    value(key),
    ' on hold',
    ...tellReason(reason),
  ],
  'report delivered': ({ report, files }) => [
    'Report ',
    value(report),
    ' delivered to ',
    value(files.map(({ at }) => at).join(', ')),
  ],
  'document delivered': ({ file, entity, target }) => [
    `Document of ${nameOne(entity)} `,
    value(target),
    ' delivered to ',
    value(file),
  ],
  'document removed': ({ file, entity, target }) => [
    `Document of ${nameOne(entity)} `,
    value(target),
    ' removed from ',
    value(file),
  ],
  'state moved': ({ by, from, to, found, compared }) => [
    value(by),
    ' moved the state from ',
    value(from ?? 'no account'),
    ' to ',
    value(to),
    `; ${found} of ${compared} linked objects found there`,
  ],
  'state restored': ({ by, file, replaced }) => [
    value(by),
    ' restored the state from ',
    value(file),
    replaced === null ? '' : `, in place of one with ${plural(replaced.entries, 'entry', 'entries')}`,
  ],
};

function tellContent(content: EntryContent, endOf: EndWriter): Parts {
  // The table has each kind once, but the compiler cannot match entry and content.
  const tell = TOLD[content.kind] as ((content: EntryContent, endOf: EndWriter) => Parts) | undefined;
  return tell?.(content, endOf) ?? [content.kind];
}
