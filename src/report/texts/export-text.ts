import type { ExportSummary } from '../../export-users.js';
import { plural } from '../sections/words.js';
import { clip, createStyle, joinLines, listFirst, type Style } from '../writers/style.js';

const SHOWN = 12;

/** What was written, and then all that the file does not carry: people who upload it must know what is missing. */
export function renderExport(summary: ExportSummary, file: string | null, color: boolean): string {
  const style = createStyle(color);
  const { rows, columns, not_in_file: missing } = summary;
  const external = missing.external === 0 ? '' : ` (${missing.external} external)`;
  const lines = [
    `${style.bold(plural(rows, 'person', 'people'))} in ${file ?? 'the file'}: ${columns.join(', ')}`,
    ...(missing.active === 0
      ? ['Every active person of the service is in the file.']
      : [
          style.warn(
            `! ${missing.active} active ${missing.active === 1 ? 'person' : 'people'}${external} of the service ${missing.active === 1 ? 'is' : 'are'} not in the file:`,
          ),
          '    an import setting that deactivates or removes missing people would do so to them',
        ]),
    ...listWarnings(summary, style),
    ...listNotCarried(summary, style),
    ...listLeftOut(summary, style),
  ];
  return `${joinLines(lines)}\n`;
}

function listWarnings(summary: ExportSummary, style: Style): readonly string[] {
  const { emails_changed: emails, deactivated, columns, columns_left_out: left, guards, guarded } = summary;
  const lines: string[] = [];
  if (guarded > 0)
    lines.push(
      `${plural(guarded, 'cell')} (telephone numbers among them) ${guarded === 1 ? 'begins' : 'begin'} like a formula and ${guarded === 1 ? 'has' : 'have'} an apostrophe before the value, which an upload would take over: for an upload, export with --formulas write`,
    );
  if (emails > 0)
    lines.push(
      `${plural(emails, 'e-mail address', 'e-mail addresses')} would change: the import writes to these people`,
    );
  if (deactivated > 0) {
    lines.push(
      `${plural(deactivated, 'person', 'people')} in the file are deactivated in the service: whether the import takes them back is up to its setting`,
    );
  }
  for (const title of ['country_code', 'office_name']) {
    if (!columns.includes(title)) lines.push(`there is no column ${title}: the import setting needs a default for it`);
  }
  if (left.length > 0) lines.push(`nobody has a value, so there is no column: ${left.join(', ')}`);
  for (const { guard, found, limit } of guards) {
    lines.push(`the guard ${guard} holds ${found} of these changes (limit ${limit}): the import knows no guards`);
  }
  return lines.map((line) => style.warn(`! ${line}`));
}

function listNotCarried({ not_carried: losses }: ExportSummary, style: Style): readonly string[] {
  if (losses.length === 0) return [];
  return [
    style.bold('Not in the file, of the people in it:'),
    ...losses.map(({ field, reason, people, examples }) => {
      const more = people > examples.length ? ', …' : '';
      return `  ${field}: ${reason} ${style.dim(`(${plural(people, 'person', 'people')}: ${examples.join(', ')}${more})`)}`;
    }),
  ];
}

function listLeftOut({ left_out: people }: ExportSummary, style: Style): readonly string[] {
  if (people.length === 0) return [];
  return [
    style.bold(`Left out (${people.length}):`),
    ...listFirst(
      people,
      SHOWN,
      ({ key, place, reason }) => [`  ${key} (${place}): ${clip(reason, 200)}`],
      (rest) => style.dim(`  … and ${rest} more; --json shows them`),
    ),
  ];
}
