import type { Columns } from '../../../model/column.js';
import { parseDuration } from '../../../settings/duration.js';
import type { ProblemSink, YamlPath } from '../../../settings/resolving.js';
import { checkKey, resolveColumns } from '../../cells/resolve-columns.js';
import type { ListedStreamShape } from '../listed-stream.js';
import type { StreamInput } from '../schema.js';
import { VENDORS, type VendorName } from './vendors.js';

/** A vendor's stream as it ships, with what is configured laid over it. */
export function resolvePreset(
  path: YamlPath,
  { name, ...stream }: StreamInput & { readonly name: string },
  vendor: VendorName,
  report: ProblemSink,
): ListedStreamShape {
  const { preset } = VENDORS[vendor];
  const shipped = preset.streams[name];
  if (shipped === undefined && stream.object === undefined) {
    const known = Object.keys(preset.streams).join(', ');
    report.add(path, `the preset has no stream \`${name}\``, `Name its \`object:\`, or use one of ${known}.`, 'key');
  }
  const own = resolveColumns([...path, 'columns'], stream.columns ?? {}, report);
  const placeOf = (key: string): string => shipped?.columns[key]?.from ?? preset.place(key);
  const columns: Columns = {
    ...(shipped?.columns ?? preset.everyObject),
    ...Object.fromEntries((stream.properties ?? []).map((property) => [property, preset.text(property)])),
    ...Object.fromEntries(Object.entries(own).map(([key, column]) => [key, { from: placeOf(key), ...column }])),
  };
  const key = stream.key ?? 'id';
  checkKey([...path, 'key'], key, columns, false, report);
  for (const word of ['modified', 'parameter', 'template'] as const) {
    if (stream.incremental?.[word] === undefined) continue;
    const message = `\`${word}\` means nothing for a \`preset\`, which knows it`;
    report.add([...path, 'incremental', word], message, 'Remove it.', 'key');
  }
  if (stream.filter !== undefined && !preset.hasFilter) {
    report.add([...path, 'filter'], 'the lists of this vendor take no filter', 'Use `scope` of what is mapped.', 'key');
  }
  const { full_every: fullEvery = '24h', overlap = '10m' } = stream.incremental ?? {};
  const fullEveryMs = parseDuration(fullEvery);
  const incremental = { ...preset.incremental, overlapMs: parseDuration(overlap), fullEveryMs };
  return {
    ...preset.listing,
    dialect: vendor,
    path: stream.object ?? shipped?.object ?? '',
    filter: stream.filter ?? null,
    query: {},
    headers: {},
    incremental: fullEveryMs === 0 ? null : incremental,
    key,
    columns,
    prefer: stream.prefer ?? null,
    mayBeEmpty: stream.empty === 'allowed',
  };
}
