import { messageOf } from '../../base/errors.js';
import { parseDuration } from '../../base/settings/duration.js';
import type { ProblemSink, YamlPath } from '../../base/settings/resolving.js';
import { adviseName } from '../../model/nearest.js';
import { splitFormat } from '../cells/dates.js';
import type { FileRulesInput } from './files-schema.js';

/** The rules for the delivered files of a stream. */
export type FileRules = Readonly<ReturnType<typeof resolveFileRules>>;

export function resolveFileRules(
  path: YamlPath,
  {
    manifest,
    trailer,
    footer,
    shrink,
    max_bad_rows: maxBadRows,
    stale_after: staleAfter,
    aliases = {},
    ...rest
  }: FileRulesInput,
  columns: readonly string[],
  report: ProblemSink,
) {
  checkAliases([...path, 'aliases'], aliases, columns, report);
  if (rest.parts !== undefined && rest.after !== 'leave') {
    report.add([...path, 'after'], '`after` cannot be combined with `parts`', 'Remove one of the two.', 'key');
  }
  return {
    manifest: manifest ?? null,
    /**
     * The trailer of CSV files, such as a last row `TRAILER;1234`. `countIndex` is the index of the cell with the number
     * of rows.
     */
    trailer: trailer === undefined ? null : { firstCell: trailer.first_cell, countIndex: trailer.rows - 1 },
    /** The footer of CSV files, which are lines about the report at the end. */
    ...(footer === undefined ? {} : { footer }),
    /** A greater share of bad rows (0 to 1) stops the source; null for no limit. */
    maxBadShare: maxBadRows === undefined ? null : Number(maxBadRows.slice(0, -1)) / 100,
    /** A delivery with this many percent fewer rows than the last good one is held; null for no limit. */
    shrinkPercent: shrink?.percent ?? null,
    /**
     * The pattern of a delivery in several files, such as `employees-{drop}-part{part}of{parts}.csv`; null if each file
     * is a delivery.
     */
    parts: rest.parts ?? null,
    newest: resolveNewest([...path, 'newest'], rest.newest, report),
    after: rest.after,
    rejects: rest.rejects ?? null,
    followLinks: rest.follow_links ?? false,
    /** The time after which unchanged content is reported; null for never. */
    staleAfterMs: staleAfter === undefined ? null : parseDuration(staleAfter),
    aliases: aliases as Readonly<Record<string, readonly string[]>>,
  };
}

/** The rule for finding the newest of several deliveries; `date` is the format of the date in its name. */
export type Newest = NonNullable<FileRulesInput['newest']>;

function resolveNewest(path: YamlPath, newest: Newest = 'name', report: ProblemSink): Newest {
  if (typeof newest === 'string') return newest;
  try {
    splitFormat(newest.date);
  } catch (error) {
    report.add([...path, 'date'], messageOf(error), 'Write it as `dd-MM-yyyy`.');
  }
  return newest;
}

/** Reports an alias that could mean two columns. */
function checkAliases(
  path: YamlPath,
  aliases: Readonly<Record<string, readonly string[]>>,
  columns: readonly string[],
  report: ProblemSink,
): void {
  const taken = new Set(columns);
  for (const [name, others] of Object.entries(aliases)) {
    if (!columns.includes(name)) {
      const remedy = adviseName(name, columns, `Columns: ${columns.join(', ')}.`);
      report.add([...path, name], `\`${name}\` is not a declared column`, remedy, 'key');
    }
    for (const other of others) {
      if (taken.has(other)) {
        report.add([...path, name], `"${other}" is the name of more than one column`, 'Keep the name for one column.');
      }
      taken.add(other);
    }
  }
}
