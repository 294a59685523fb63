import type { CellChange, PlannedSourceChange } from '../model/write-back.js';
import { clip, plural, type Style } from './style.js';
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
    const waits = change.withheld === null ? '' : style.warn(`  waits for ${change.withheld.name}`);
    lines.push(`  ${style.good('→')} ${clip(`${change.record}  ${change.label}`, width - 4)}${waits}`);
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
