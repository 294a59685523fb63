import type { Cost } from '../../model/plan.js';
import type { CellChange, PlannedSourceChange, WrittenSource } from '../../model/write-back.js';
import { clip, displayWidth, plural, type Style, wrapItems } from './style.js';
import { showValue } from './values-text.js';

/** Of each source so many records are shown. */
const SHOWN = 5;
const VALUE_WIDTH = 40;

/** What the sources are told, source by source: the records with their columns, as the source shows them and as they are to be. */
export function renderToSources(
  changes: Iterable<PlannedSourceChange>,
  counts: Readonly<Record<string, { readonly records: number; readonly cells: number }>>,
  all: boolean,
  style: Style,
  width: number,
): readonly string[] {
  const lines: string[] = [];
  let [source, shown] = ['', 0];
  const tellRest = (): void => {
    const rest = (counts[source]?.records ?? 0) - shown;
    if (source !== '' && !all && rest > 0)
      lines.push(style.dim(`    … and ${plural(rest, 'more record', 'more records')} (--all)`));
  };
  for (const change of changes) {
    if (change.source !== source) {
      tellRest();
      [source, shown] = [change.source, 0];
      const { records = 0, cells = 0 } = counts[source] ?? {};
      lines.push(style.bold(`To ${source}: ${plural(records, 'record')}, ${plural(cells, 'value')}`));
    }
    if (!all && shown === SHOWN) continue;
    shown += 1;
    const name = clip(`${change.record}  ${change.label}`, width - 4);
    const waits = change.withheld === null ? '' : `waits for ${change.withheld.name}`;
    const fits = 6 + displayWidth(name) + waits.length <= width;
    lines.push(`  ${style.good('→')} ${name}${fits && waits !== '' ? `  ${style.warn(waits)}` : ''}`);
    if (!fits && waits !== '') lines.push(`      ${style.warn(waits)}`);
    lines.push(...change.cells.map((cell) => `      ${clip(describeCell(cell), width - 6)}`));
  }
  tellRest();
  return lines;
}

/** `phone: "1" → "2" (telephone)` */
export function describeCell({ column, before, after, known, field }: CellChange): string {
  const to = known === 'after apply' ? 'known after apply' : showValue(after, VALUE_WIDTH);
  return `${column}: ${showValue(before, VALUE_WIDTH)} → ${to}${field === null ? '' : ` (${field})`}`;
}

/** `told hr: 3 records (talent-r2026….csv), 1 refused`, and which ones were not taken. */
export function renderWrittenSource(told: WrittenSource, style: Style, width: number): readonly string[] {
  const { source, done, refused, lost, left, at, examples } = told;
  const others = [
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(lost > 0 ? [`${lost} lost`] : []),
    ...(left > 0 ? [`${left} left for the next run`] : []),
  ];
  const rest = refused + lost + left - examples.length;
  const named = [...examples, ...(rest > 0 && examples.length > 0 ? [`… and ${rest} more`] : [])];
  const bad = others.map((text) => `, ${text}`).join('');
  const line = `  told ${source}: ${plural(done, 'record')}`;
  const by = at === null ? '' : `(${at})`;
  const fits = line.length + 1 + by.length + bad.length <= width;
  const end = bad === '' ? '' : style.warn(bad);
  return [
    `${line}${fits && by !== '' ? ` ${style.dim(by)}` : ''}${end}`,
    ...(fits ? [] : [`    ${style.dim(clip(by, width - 4))}`]),
    ...wrapItems(named, ', ', width - 4).map((text) => style.dim(`    ${clip(text, width - 4)}`)),
  ];
}

/** Values that a source shows in a form of its own. */
export function renderNear(near: number, style: Style, width: number): readonly string[] {
  if (near === 0) return [];
  const text = `${plural(near, 'near miss', 'near misses')}: shown by a source in a form of its own, which counts as equal`;
  return wrapItems(text.split(' '), ' ', width - 4).map((line, i) => style.dim(`${i === 0 ? '  ' : '    '}${line}`));
}

/** `telling hr takes 1 file` */
export function renderSourceCalls(sources: Cost['sources'], style: Style, width: number): readonly string[] {
  return Object.entries(sources ?? {}).flatMap(([source, calls]) => {
    const words = Object.entries(calls).map(([call, count]) =>
      call === 'file' ? plural(count, 'file') : `${count} × ${call}`,
    );
    return words.length === 0 ? [] : [style.plain(clip(`Telling ${source} takes ${words.join(', ')}`, width))];
  });
}
