import type { ExportSummary } from '../export-users.js';
import { plural } from '../sections/words.js';
import { clip, createStyle, joinLines, listFirst, listWarnings, type Style } from '../writers/style.js';

const SHOWN = 12;

/** Describes the content of the file, then the missing data, which people who upload the file must know about. */
export function renderExport(summary: ExportSummary, file: string | null, color: boolean): string {
  const style = createStyle(color);
  const { rows, columns, not_in_file: missing } = summary;
  const external = missing.external === 0 ? '' : ` (${missing.external} external)`;
  const lines = [
    `${style.bold(plural(rows, 'person', 'people'))} in ${file ?? 'the file'}: ${columns.join(', ')}`,
    ...(missing.active === 0
      ? ['Every active person in the service is in the file.']
      : [
          style.warn(
            `! ${missing.active} active ${missing.active === 1 ? 'person' : 'people'}${external} of the service ${missing.active === 1 ? 'is' : 'are'} not in the file:`,
          ),
          '    an import setting that deactivates or removes missing people also applies to them',
        ]),
    ...warnOf(summary, style),
    ...listNotCarried(summary, style),
    ...listLeftOut(summary, style),
  ];
  return `${joinLines(lines)}\n`;
}

function warnOf(summary: ExportSummary, style: Style): readonly string[] {
  const { emails_changed: emails, deactivated, columns, columns_left_out: left, guards, guarded } = summary;
  const isOne = guarded === 1;
  const warnings: readonly (string | false)[] = [
    guarded > 0 &&
      `${plural(guarded, 'cell')} (telephone numbers included) ${isOne ? 'begins' : 'begin'} like a formula and ${isOne ? 'has' : 'have'} an apostrophe before the value. The service would import it too: for an upload, export with --formulas write`,
    emails > 0 &&
      `${plural(emails, 'e-mail address', 'e-mail addresses')} would change: the import e-mails these people`,
    deactivated > 0 &&
      `${plural(deactivated, 'person', 'people')} in the file are deactivated in the service: the import setting decides whether they are reactivated`,
    ...['country_code', 'office_name'].map(
      (title) => !columns.includes(title) && `there is no column ${title}: the import setting needs a default for it`,
    ),
    left.length > 0 && `nobody has a value, so there is no column: ${left.join(', ')}`,
    ...guards.map(
      ({ guard, found, limit }) =>
        `the guard ${guard} holds ${found} of these changes (limit ${limit}): the import does not check guards`,
    ),
  ];
  return listWarnings(warnings).map(style.warn);
}

function listNotCarried({ not_carried: losses }: ExportSummary, style: Style): readonly string[] {
  if (losses.length === 0) return [];
  return [
    style.bold('Missing values of people in the file:'),
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
