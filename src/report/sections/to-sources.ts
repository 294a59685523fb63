import type { Cost } from '../../model/plan.js';
import type { NearMisses } from '../../model/write-back.js';
import { type Report, STATES } from './report.js';
import {
  type Block,
  badge,
  blocksOf,
  code,
  link,
  name,
  type Piece,
  prose,
  type ReportSection,
  type SectionTable,
  type Text,
} from './section.js';
import { type SourceTally, topField } from './tally.js';
import { plural } from './words.js';

/** The write-backs to each source, in numbers that link to the records, and values that a source shows in another form. */
export function listToSources(
  { kind, plan }: Pick<Report, 'kind' | 'plan'>,
  sources: ReadonlyMap<string, SourceTally>,
): ReportSection | null {
  const { cost = null, nearMisses = [] } = plan ?? {};
  if (sources.size === 0 && nearMisses.length === 0) return null;
  const are = kind === 'plan' ? 'are to be written back' : 'were to be written back';
  return {
    id: 'to-sources',
    title: 'To the sources',
    blocks: blocksOf(
      sources.size === 0
        ? null
        : {
            kind: 'text',
            tone: 'muted',
            text: `The values that ${are} to each source. The records are among the changes.`,
          },
      sources.size === 0 ? null : tabulate(sources, cost),
      ...nearMisses.map(
        (near): Block => ({
          kind: 'text',
          text: [
            name(near.source),
            ' shows ',
            code(near.column),
            ' in another format, which counts as equal and is not sent again: ',
            prose(describeNearMisses(near)),
            '.',
          ],
        }),
      ),
    ),
  };
}

function tabulate(sources: ReadonlyMap<string, SourceTally>, cost: Cost | null): SectionTable {
  return {
    kind: 'table',
    columns: [
      { name: 'Source' },
      { name: 'Records', isNumber: true },
      { name: 'Values', isNumber: true },
      { name: 'Columns' },
      { name: 'Forecast' },
      { name: 'State' },
    ],
    rows: [...sources].map(([source, told]): readonly Text[] => [
      link({ entity: `to ${source}` }, name(source)),
      told.records,
      told.values,
      join(
        [...told.columns].map(([column, count]) => [
          link({ field: `to ${source}.${topField(column)}` }, code(column)),
          ' ',
          count,
        ]),
      ),
      describeCalls(cost, source) ?? '',
      join(listStates(source, told)),
    ]),
  };
}

/** Waiting records with their reason. Planned records are left out, because the number of records already covers them. */
function listStates(source: string, { states, waits }: SourceTally): readonly (readonly Piece[])[] {
  return [...states].flatMap(([state, count]): readonly (readonly Piece[])[] => {
    const { tone, name: word } = STATES[state];
    if (state === 'planned') return [];
    const to = { entity: `to ${source}`, state };
    if (state !== 'waits') return [[link(to, badge(`${count} ${word}`, tone), tone)]];
    return [...waits].map(([about, n]) => [link(to, badge(`${n} ${word}`, tone), tone), ' ', prose(about)]);
  });
}

function join(items: readonly (readonly Piece[])[]): Text {
  return items.flatMap((item, i) => (i === 0 ? item : [', ', ...item]));
}

/** `3 records, such as E1, E2` */
export function describeNearMisses({ records, examples }: NearMisses): string {
  return `${plural(records, 'record')}, such as ${examples.join(', ')}`;
}

/** The calls needed to write back to a source: `1 file`, `12 × PATCH /Users/{id}`; null if unknown. */
export function describeCalls(cost: Cost | null, source: string): string | null {
  const calls = Object.entries(cost?.sources?.[source] ?? {});
  if (calls.length === 0) return null;
  return calls.map(([call, count]) => (call === 'file' ? plural(count, 'file') : `${count} × ${call}`)).join(', ');
}
