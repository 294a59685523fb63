import type { AdoptionReport } from '../../model/plan.js';
import { type AdoptionField, type SideWords, tellAdoption } from '../sections/adoption.js';
import { foldDifferences } from './fold-text.js';
import { clip, displayWidth, plural, type Style, wrapItems } from './style.js';

/** Fields that most pairs differ in are told first, and so many of them. */
const FIELDS_SHOWN = 12;
const NAMES = 15;

/** First contact: what is taken over, by which key, and what is on one side only. Nothing has been written yet. */
export function renderAdoption(
  reports: readonly AdoptionReport[] | null,
  style: Style,
  width: number,
): readonly string[] {
  return (reports ?? []).flatMap((report) => renderEntity(report, style, width));
}

function renderEntity(report: AdoptionReport, style: Style, width: number): readonly string[] {
  const { title, keys, matched, fields, sides, doubtful } = tellAdoption(report);
  const parts = [...keys.map(([key, count]) => `${count} by ${key}`), `${report.equal} equal`];
  const differ = fields.slice(0, FIELDS_SHOWN).flatMap((field) => renderField(field, style, width));
  const more = fields.length - FIELDS_SHOWN;
  return [
    style.bold(`First contact: ${title}`),
    row('matched', [...parts, `${matched - report.equal} different`].join(', ')),
    ...(doubtful === null ? [] : [style.warn(row('doubtful', `${doubtful}, see below`))]),
    ...sides.flatMap((side) => renderSide(side, style, width)),
    ...(differ.length === 0 ? [] : ['  they differ in', ...differ]),
    ...(more > 0 ? [style.dim(`    … and ${plural(more, 'field')} more (--json)`)] : []),
  ];
}

function row(name: string, text: string): string {
  return `  ${name.padEnd(NAMES)}  ${text}`;
}

/** A field that pairs differ in, with the first of them as the example. */
function renderField({ field, count, examples }: AdoptionField, style: Style, width: number): readonly string[] {
  const [first] = examples;
  const title = `    ${field} (${count})`;
  if (first === undefined) return [title];
  const as = clip(`, as ${first.label}`, width - displayWidth(title));
  return [title + style.dim(as), ...foldDifferences(first.differences, 6, width, style)];
}

function renderSide({ name, count, what, labels, more }: SideWords, style: Style, width: number): readonly string[] {
  const items = [...labels.map((label) => clip(label, width - 6)), ...(more > 0 ? [`… and ${more} more`] : [])];
  const names = wrapItems(items, ' · ', width - 6).map((line) => style.dim(`      ${line}`));
  return [row(name.replace(' the ', ' ').toLowerCase(), `${count}, ${what}`), ...names];
}
