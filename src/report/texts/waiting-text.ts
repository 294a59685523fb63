import { readHeldSource, showGuard } from '../../model/held-source.js';
import { shortenDigest } from '../../model/sha256.js';
import type { WaitingItem, WaitingKind } from '../../model/waiting.js';
import { describeAcknowledged } from '../sections/held.js';
import { nameEntities, nameOne } from '../sections/kinds.js';
import { capitalise, formatAge, formatMinute, plural } from '../sections/words.js';
import type { TerminalLook } from '../writers/style.js';
import { fold } from '../writers/terminal-blocks.js';

/** The names of waiting items, by kind and count. */
const NAMES: Readonly<Record<WaitingKind, (item: WaitingItem) => string>> = {
  guard: ({ count, of, approved_by: first }) =>
    `${plural(count, 'change')} for ${first === undefined ? 'an approval' : 'a second approval'} (${showGuard(of)})`,
  source: ({ of }) => {
    const held = readHeldSource(of);
    return held === null ? `The source ${of}` : `A delivery of ${held.source} on hold (${showGuard(of)})`;
  },
  conflict: ({ count, of }) => `${plural(count, 'conflict')} of ${nameEntities(of)}`,
  record: ({ count, of }) => plural(count, nameOne(of), nameEntities(of)),
  field: ({ count, of }) => `A field of ${plural(count, nameOne(of), nameEntities(of))}`,
  refused: ({ count, of }) => `${plural(count, 'rejected change')} of ${nameEntities(of)}`,
  delivery: ({ of }) => `Delivery “${of}”`,
  write_back: ({ count, of }) => `${plural(count, 'record')} written back to ${of} and not shown by it yet`,
  channel: ({ of }) => `Messages for ${of}`,
  undo: ({ count }) => `An undo of ${plural(count, 'change')}`,
  call: ({ count }) => plural(count, 'call'),
  approved: ({ count, of }) => `${plural(count, 'approved change')} (${showGuard(of)})`,
  decided: ({ count, of }) => `${plural(count, 'decided conflict')} of ${nameEntities(of)}`,
  joiner: ({ count }) => plural(count, 'joiner'),
  declined: ({ count, of }) => `${plural(count, 'change')} declined (${of})`,
  undone: ({ count }) => `${plural(count, 'value')} undone`,
};

/** `7 changes for an approval (users.deactivate)` */
export function nameWaiting(item: WaitingItem): string {
  return NAMES[item.kind](item);
}

/** `User Jane Doe (E17)`: the name and key of a single record, or the number of several records. */
export function titleWaiting(item: WaitingItem): string {
  const { kind, of, count, keys, label } = item;
  const [key] = keys;
  const named = label === undefined ? key : `${label.replace(/\s*<[^>]*>$/, '')} (${key})`;
  const about = count === 1 && key !== undefined && count === keys.length ? `${nameOne(of)} ${named}` : null;
  const title = about === null ? nameWaiting(item) : `${TITLES[kind] ?? ''}${about}`;
  return `${capitalise(title)}${kind === 'record' && about === null ? ' held' : ''}`;
}

const TITLES: Readonly<Partial<Record<WaitingKind, string>>> = {
  conflict: 'Conflict of ',
  decided: 'Decided conflict of ',
  field: 'A field of ',
  refused: 'Rejected change of ',
  joiner: 'Joiner: ',
};

/** True if the item needs a decision. False if it only needs time. */
export function needsPerson({ kind }: Pick<WaitingItem, 'kind'>): boolean {
  return !CALM.has(kind);
}

/** True if somebody has already decided the item. */
export function isDecided({ kind }: Pick<WaitingItem, 'kind'>): boolean {
  return DECIDED.has(kind);
}

const DECIDED: ReadonlySet<WaitingKind> = new Set(['approved', 'decided', 'declined', 'undone']);

/** The waiting items, each cause once, with age, cause and remedy. */
export function renderWaiting(items: readonly WaitingItem[], nowMs: number, look: TerminalLook): readonly string[] {
  const open = items.filter(({ acknowledged }) => acknowledged === undefined);
  const known = items.filter(({ acknowledged }) => acknowledged !== undefined);
  const { style } = look;
  return [
    ...(open.length === 0 ? ['  nothing'] : open.flatMap((item) => renderItem(item, nowMs, look))),
    ...(known.length === 0 ? [] : ['', style.bold('Acknowledged')]),
    ...known.flatMap((item) => renderItem(item, nowMs, look)),
  ];
}

function renderItem(item: WaitingItem, nowMs: number, look: TerminalLook): readonly string[] {
  const { id, cause, resolve, since, until, acknowledged, count, keys, code } = item;
  const { style } = look;
  const age = since === null ? '' : `, for ${formatAge(nowMs - Date.parse(since))}`;
  const then = until === null ? '' : `, until ${formatMinute(until)}`;
  const rest = count - keys.length;
  const named = keys.length === 0 ? '' : ` (${keys.join(', ')}${rest > 0 ? `, … and ${rest} more` : ''})`;
  return [
    ...fold(`${nameWaiting(item)}${age}${then}`, 2, look).map(style[needsPerson(item) ? 'warn' : 'plain']),
    ...fold(`${capitalise(cause)}${named}`.trim(), 6, look),
    ...fold(`→ ${resolve}`, 6, look).map(style.dim),
    ...fold(`${shortenDigest(id)}${code === null ? '' : `  ${code}`}`, 6, look).map(style.dim),
    ...(acknowledged === undefined ? [] : fold(describeAcknowledged(acknowledged), 6, look).map(style.dim)),
  ];
}

/** Kinds of items that resolve themselves without a decision. */
const CALM: ReadonlySet<WaitingKind> = new Set([
  'write_back',
  'call',
  'approved',
  'decided',
  'joiner',
  'declined',
  'undone',
]);

const HEADLINE: readonly (readonly [WaitingKind, string, string])[] = [
  ['guard', 'change for an approval', 'changes for an approval'],
  ['source', 'source', 'sources'],
  ['conflict', 'conflict', 'conflicts'],
  ['record', 'held record', 'held records'],
  ['field', 'held field', 'held fields'],
  ['refused', 'rejected change', 'rejected changes'],
  ['delivery', 'failing delivery', 'failing deliveries'],
];

/** `7 changes for an approval, 27 held records`: the items that need a person; empty if there are none. */
export function summariseWaiting(items: readonly WaitingItem[]): string {
  return HEADLINE.flatMap(([kind, one, many]) => {
    const open = items.filter((item) => item.kind === kind && item.acknowledged === undefined);
    const count = open.reduce((sum, item) => sum + item.count, 0);
    return count === 0 ? [] : [plural(count, one, many)];
  }).join(', ');
}
