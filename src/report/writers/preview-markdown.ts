import type { SyncError } from '../../base/errors.js';
import type { Preview, PreviewChange, PreviewGuard, PreviewNumber } from '../../model/preview.js';
import { capitalise, formatMinute, plural } from '../sections/words.js';
import { isMoved } from '../texts/preview-text.js';
import { foldMarkdown } from './markdown-blocks.js';
import { codeMarkdown, escapeMarkdown } from './markdown-text.js';
import { clip } from './style.js';

/* Renders a preview as a comment on a pull request. Text from records is escaped or code, never markup or a mention. */

/** A limit below GitHub's maximum of 65,536 characters per comment. */
const MOST_CHARACTERS = 50_000;
const MOST_PATHS = 50;
const MOST_FIELDS = 12;
const LONGEST_VALUE = 80;
const LONGEST_DETAIL = 400;

/** @param title the subject of the preview: a tenant, or a file */
export function renderPreviewMarkdown(preview: Preview, title: string): string {
  const { at, paths, counts, fields, to_sources: toSources, held, guards, stopped } = preview;
  const rows = [
    ...counts.map(({ entity, action, ...numbers }) => row([escapeMarkdown(entity), action], numbers)),
    ...toSources.map(({ source, ...numbers }) => row([escapeMarkdown(source), 'written back'], numbers)),
    row(['all', 'records set aside'], held),
  ];
  const moved = fields.filter(isMoved);
  const perField = moved.map(({ entity, field, ...numbers }) => row([entity, codeMarkdown(field)], numbers));
  return joinBlocks([
    heading(title),
    `**${escapeMarkdown(headline(preview))}**`,
    ...stopped.map(({ entity, message = '' }) => escapeMarkdown(`Nothing would be derived for ${entity}: ${message}`)),
    guards.length === 0 ? '' : table(['Guard', 'Found', 'Limit', 'Held', 'Held now', 'Cause'], guards.map(guardRow)),
    table(['What', 'Action', 'In force', 'Edited', 'Difference'], rows),
    moved.length === 0
      ? ''
      : foldMarkdown('Updates by field', table(['What', 'Field', 'In force', 'Edited', 'Difference'], perField)),
    listChanges(preview),
    foldMarkdown(plural(paths.length, 'edited path'), listPaths(paths)),
    escapeMarkdown(
      `From the records of the last reads, as of ${formatMinute(at)}. No other system was called, and nothing was changed.`,
    ),
  ]);
}

/** The comment for a preview that is not possible, with the reason and each place. */
export function renderRefusedMarkdown({ message, problems, remedy }: SyncError, title: string): string {
  return joinBlocks([
    heading(title),
    `**Cannot be previewed.** ${escapeMarkdown(message)}`,
    problems
      .slice(0, MOST_PATHS)
      .map((problem) => `- ${codeMarkdown(problem.place)}: ${escapeMarkdown(clip(problem.message, LONGEST_DETAIL))}`)
      .join('\n'),
    escapeMarkdown(capitalise(remedy)),
  ]);
}

function heading(title: string): string {
  return `### Preview of ${codeMarkdown(clip(title, LONGEST_VALUE))}`;
}

function headline({ guards, stopped }: Preview): string {
  if (stopped.length > 0) return 'A run under this configuration could not derive everything.';
  if (guards.length === 0) return 'No guard would hold.';
  return `${plural(guards.length, 'guard')} would hold changes until somebody approves them.`;
}

function row(names: readonly string[], { in_force: before, edited }: PreviewNumber): readonly string[] {
  const difference = edited - before;
  return [...names, `${before}`, `${edited}`, difference > 0 ? `+${difference}` : `${difference}`];
}

function guardRow({
  guard,
  found,
  limit,
  held,
  held_in_force: before,
  cause,
  detail,
}: PreviewGuard): readonly string[] {
  const because = escapeMarkdown(clip(`${cause}: ${detail}`, LONGEST_DETAIL));
  return [codeMarkdown(guard), `${found}`, `${limit}`, `${held}`, `${before}`, because];
}

function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [names, names.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n');
}

function listPaths(paths: readonly string[]): string {
  const more = paths.length > MOST_PATHS ? [`- … and ${paths.length - MOST_PATHS} more`] : [];
  return [...paths.slice(0, MOST_PATHS).map((path) => `- ${codeMarkdown(path)}`), ...more].join('\n');
}

function listChanges({ changes, more = 0 }: Preview): string {
  if (changes === undefined) return '';
  let room = MOST_CHARACTERS;
  const shown = changes.map(showChange).filter((text) => {
    room -= text.length;
    return room >= 0;
  });
  const left = more + changes.length - shown.length;
  const rest = left === 0 ? [] : [`- … and ${left} more`];
  const title = `${plural(changes.length + more, 'change')} that the current configuration would not make`;
  return foldMarkdown(title, [...shown, ...rest].join('\n'));
}

function showChange({ entity, action, label, fields }: PreviewChange): string {
  const show = (value: string | null): string =>
    value === null ? '*(empty)*' : codeMarkdown(clip(value, LONGEST_VALUE));
  const moves = fields
    .slice(0, MOST_FIELDS)
    .map(({ field, before, after }) => `  - ${codeMarkdown(field)}: ${show(before)} → ${show(after)}`);
  return [`- ${action} ${entity} ${codeMarkdown(clip(label, LONGEST_VALUE))}`, ...moves].join('\n');
}

function joinBlocks(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n');
}
