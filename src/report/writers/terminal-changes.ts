import { commonWait, nameGroup, type ReportGroup } from '../sections/change-groups.js';
import { lookOf, TELL } from '../sections/kinds.js';
import { CHANGE_COLUMNS, type ReportChange } from '../sections/report.js';
import { plural } from '../sections/words.js';
import { foldDifferences } from './fold-text.js';
import { clip, displayWidth, padDisplay, type TerminalLook, wrapItems } from './style.js';
import { fold } from './terminal-blocks.js';

const SHOWN_WAITING = 4;
const SHOWN_DERIVED = 20;
/** Maximum length of names that are aligned. A longer name would move the next column too far away. */
const LONGEST_LABEL = 56;
/** Maximum number of lines per kind. A kind with long changes shows fewer of them, so that the next kinds stay visible. */
const LINES_SHOWN = 40;
/** Maximum length of a title that includes the common reason. */
const LONGEST_TITLE = 96;

const BESIDE_NAME = CHANGE_COLUMNS.filter(({ isBesideName }) => isBesideName);

/** Maximum number of changes of this kind on a terminal. */
export function countShown(change: ReportChange): number {
  return isDerived(change) ? SHOWN_DERIVED : lookOf(change.action).shown;
}

/** Changes of one kind: the first few, and the number of the others. */
export function renderGroup(group: ReportGroup, all: boolean, look: TerminalLook): readonly string[] {
  const { style } = look;
  const wait = commonWait(group);
  const lines = [...renderTitle(group, wait, look)];
  if (isAllDerived(group)) return [...lines, ...listDerived(group, look)];
  // Changes that wait together are decided together, so the guard's cause is more useful than a dozen names.
  const shown = wait === null || all ? group.shown : group.shown.slice(0, SHOWN_WAITING);
  const longest = Math.max(...shown.map((one) => displayWidth(nameOf(one))));
  const said = { labels: Math.min(LONGEST_LABEL, look.width - 4, longest), reason: hasTitleReason(group), wait };
  let listed = 0;
  for (const change of shown) {
    if (!all && lines.length > LINES_SHOWN) break;
    lines.push(...renderChange(change, said, look));
    listed += 1;
  }
  return listed < group.count ? [...lines, style.dim(`    … and ${group.count - listed} more (--all)`)] : lines;
}

/** The title, with the common guard and the common reason. */
function renderTitle(group: ReportGroup, wait: string | null, look: TerminalLook): readonly string[] {
  const { style, width } = look;
  const [records, values] = [plural(group.count, 'record'), plural(group.values, 'value')];
  const told = `${group.group.replace(/^t/, 'T')}: ${records}, ${values}`;
  const title = group.action === TELL ? told : nameGroup(group);
  const state = group.isDeclined ? 'declined' : 'waiting';
  const some = group.waiting === 0 ? '' : `, ${group.waiting} ${state}`;
  const waiting = wait === null ? some : `, ${state} ${wait}`;
  const head = style.bold(title) + style.bad(waiting);
  const reason = hasTitleReason(group) || isAllDerived(group) ? (group.reason ?? '') : '';
  const isShort = title.length + waiting.length + reason.length + 2 <= Math.min(width, LONGEST_TITLE);
  if (reason === '') return [head];
  if (isShort || isAllDerived(group)) return [`${head}${style.dim(`: ${reason}`)}`];
  return [head, ...fold(reason, 4, look).map(style.dim)];
}

function hasTitleReason({ count, reason }: ReportGroup): boolean {
  return count > 1 && reason !== null;
}

function isAllDerived({ reason, shown }: ReportGroup): boolean {
  return reason !== null && shown.every(isDerived);
}

/** Objects that are created only because a record refers to them need just their names, in a few lines. */
function isDerived({ action, reason }: ReportChange): boolean {
  return action === 'create' && reason.kind === 'referenced';
}

function listDerived({ action, shown, count }: ReportGroup, { style, width }: TerminalLook): readonly string[] {
  const { sign, tone } = lookOf(action);
  const more = shown.length < count ? [`… and ${count - shown.length} more (--all)`] : [];
  const labels = [...shown.map(({ label }) => clip(label, width - 4)), ...more];
  return wrapItems(labels, ' · ', width - 4).map((line) => `  ${style[tone](sign)} ${line}`);
}

function nameOf({ sourceRecord, label }: ReportChange): string {
  return sourceRecord === null ? label : `${sourceRecord.record}  ${label}`;
}

/** The width of names, and the properties that the title already shows. */
interface GroupLook {
  readonly labels: number;
  readonly reason: boolean;
  readonly wait: string | null;
}

/** Renders a change on one line if it fits. Otherwise the name is alone, with its place and reason below. */
function renderChange(change: ReportChange, said: GroupLook, look: TerminalLook): readonly string[] {
  const { style, width } = look;
  const { action, reason, state, about: waitsFor, approval, differences } = change;
  const { sign, tone } = lookOf(action);
  const name = `  ${style[tone](sign)} ${padDisplay(clip(nameOf(change), width - 4), said.labels)}`;
  const about = BESIDE_NAME.map(({ text }) => text(change))
    .filter((part) => part !== '')
    .join('  ');
  const isSaid = said.wait !== null || (state !== 'waits' && state !== 'declined');
  const waits = isSaid ? '' : `${state} ${waitsFor}`;
  const why = said.reason ? '' : reason.text;
  const used = 4 + Math.max(said.labels, displayWidth(nameOf(change)));
  const fits = used + displayWidth(`  ${about}  ${waits}`) <= width;
  const beside = [style.dim(about), style.bad(waits)].filter((_, i) => [about, waits][i] !== '');
  const lines = fits
    ? [[beside.length === 0 ? name.trimEnd() : name, ...beside].join('  '), ...fold(why, 6, look).map(style.dim)]
    : [name.trimEnd(), ...fold([about, why].filter((part) => part !== '').join(' · '), 6, look).map(style.dim)];
  if (!fits && waits !== '') lines.push(`      ${style.bad(waits)}`);
  if (approval !== null) lines.push(`      ${style.good(clip(`approved: ${approval}`, width - 6))}`);
  return action === 'create' || tone === 'bad' ? lines : [...lines, ...foldDifferences(differences, 6, look)];
}
