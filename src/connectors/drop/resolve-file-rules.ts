import { messageOf } from '../../errors.js';
import { adviseName } from '../../model/nearest.js';
import { parseDuration } from '../../settings/duration.js';
import type { ProblemSink, YamlPath } from '../../settings/resolving.js';
import { splitFormat } from '../cells/dates.js';
import type { FileRules } from './file-rules.js';
import type { FileRulesInput } from './files-schema.js';

export function resolveFileRules(
  path: YamlPath,
  { manifest, trailer, shrink, max_bad_rows: maxBadRows, aliases = {}, ...rest }: FileRulesInput,
  columns: readonly string[],
  report: ProblemSink,
): FileRules {
  checkAliases([...path, 'aliases'], aliases, columns, report);
  if (rest.parts !== undefined && rest.after !== 'leave') {
    report.add([...path, 'after'], '`after` does not go with `parts`', 'Remove one of the two.', 'key');
  }
  return {
    manifest:
      manifest === undefined
        ? null
        : { pattern: manifest.pattern, rows: manifest.rows ?? null, sha256: manifest.sha256 ?? null },
    trailer: trailer === undefined ? null : { firstCell: trailer.first_cell, countIndex: trailer.rows - 1 },
    maxBadShare: maxBadRows === undefined ? null : Number(maxBadRows.slice(0, -1)) / 100,
    shrinkPercent: shrink?.percent ?? null,
    parts: rest.parts ?? null,
    newest: resolveNewest([...path, 'newest'], rest.newest, report),
    after: rest.after,
    rejects: rest.rejects ?? null,
    followLinks: rest.follow_links ?? false,
    staleAfterMs: rest.stale_after === undefined ? null : parseDuration(rest.stale_after),
    aliases,
  };
}

function resolveNewest(path: YamlPath, newest: FileRulesInput['newest'], report: ProblemSink): FileRules['newest'] {
  if (newest === undefined || typeof newest === 'string') return newest ?? 'name';
  try {
    splitFormat(newest.date);
  } catch (error) {
    report.add([...path, 'date'], messageOf(error), 'Write it as `dd-MM-yyyy`.');
  }
  return newest;
}

/** A name that could mean two columns means neither. */
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
        report.add([...path, name], `"${other}" is the name of more than one column`, 'Leave it to one of them.');
      }
      taken.add(other);
    }
  }
}
