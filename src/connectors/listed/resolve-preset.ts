import { parseDuration } from '../../base/settings/duration.js';
import type { ProblemSink, YamlPath } from '../../base/settings/resolving.js';
import type { Columns } from '../../model/column.js';
import { checkKey, resolveColumns } from '../cells/resolve-columns.js';
import type { StreamInput } from '../crm/schema.js';
import type { IncrementalConfig, ListedStreamShape } from './listed-stream.js';
import { declareColumn, listShipped, type Preset } from './preset.js';

type NamedInput = StreamInput & { readonly name: string };

/** Resolves a vendor's stream. The configuration overrides the preset. */
export function resolvePreset(
  path: YamlPath,
  { name, ...stream }: NamedInput,
  { vendor, preset }: { readonly vendor: string; readonly preset: Preset },
  report: ProblemSink,
): ListedStreamShape {
  const { object, key = 'id', filter = null } = stream;
  const shipped = preset.streams[name];
  if (shipped === undefined && object === undefined) {
    const known = Object.keys(preset.streams).join(', ');
    report.add(path, `the preset has no stream \`${name}\``, `Name its \`object:\`, or use one of ${known}.`, 'key');
  }
  const columns = mergeColumns([...path, 'columns'], { name, ...stream }, preset, report);
  checkKey([...path, 'key'], { key, columns }, report);
  checkPreset(path, stream, preset, report);
  return {
    ...preset.listing,
    dialect: vendor,
    path: object ?? shipped?.object ?? '',
    filter,
    query: {},
    headers: {},
    incremental: resolveIncremental(stream, preset),
    key,
    columns,
    prefer: stream.prefer ?? null,
    mayBeEmpty: stream.empty === 'allowed',
    isEndTrusted: stream.end === 'trusted' || preset.listing.isEndTrusted === true,
  };
}

function checkPreset(path: YamlPath, { incremental, filter }: StreamInput, preset: Preset, report: ProblemSink): void {
  for (const word of ['modified', 'parameter', 'template'] as const) {
    if (incremental?.[word] === undefined) continue;
    const message = `\`${word}\` has no effect for a \`preset\`, which defines it`;
    report.add([...path, 'incremental', word], message, 'Remove it.', 'key');
  }
  if (incremental !== undefined && preset.incremental === null) {
    report.add([...path, 'incremental'], 'this vendor does not provide changes', 'Remove it.', 'key');
  }
  if (filter !== undefined && !preset.hasFilter) {
    report.add([...path, 'filter'], 'the lists of this vendor support no filter', 'Use `scope` in the mapping.', 'key');
  }
}

function mergeColumns(
  path: YamlPath,
  { name, columns = {}, properties = [] }: NamedInput,
  preset: Preset,
  report: ProblemSink,
): Columns {
  const shipped = listShipped(preset, name);
  const isShipped = preset.streams[name] !== undefined;
  const placeOf = (column: string): string => (isShipped ? shipped[column]?.from : undefined) ?? preset.place(column);
  const own = Object.entries(resolveColumns(path, columns, report));
  return {
    ...shipped,
    ...Object.fromEntries(properties.map((property) => [property, declareColumn('string', preset.place(property))])),
    ...Object.fromEntries(own.map(([column, config]) => [column, { from: placeOf(column), ...config }])),
  };
}

function resolveIncremental({ incremental, filter }: StreamInput, preset: Preset): IncrementalConfig | null {
  const { full_every: fullEvery = '24h', overlap = '10m' } = incremental ?? {};
  if (filter !== undefined && preset.readsFilteredWhole === true) return null;
  const fullEveryMs = parseDuration(fullEvery);
  if (fullEveryMs === 0 || preset.incremental === null) return null;
  return { parameter: '', template: '{since}', ...preset.incremental, overlapMs: parseDuration(overlap), fullEveryMs };
}
