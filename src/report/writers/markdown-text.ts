import { cleanLine } from '../../model/clean-text.js';

/** Prose of the data: nothing in it becomes a heading, a link, HTML, an issue or a mention of a person. */
export function escapeMarkdown(text: string): string {
  return (
    cleanLine(text.replace(/ +/g, ' '))
      .replace(/[\\*_[\]~#!^$]/g, '\\$&')
      .replace(/[&<>|`]/g, (character) => `&#${character.charCodeAt(0)};`)
      // GitHub makes links of bare addresses.
      .replace(/:(?=\/\/)/g, '&#58;')
      .replace(/(?<=\bwww)\./gi, '&#46;')
      // A comment between keeps `@team` from being a mention; the `@` of an address is none anyway.
      .replace(/(^|\W)@(?=\w)/g, '$1@<!-- -->')
  );
}

/**
 * A value of the data as code, in which Markdown knows no markup. The fence is longer than any run of backticks in the
 * value, and a bar is escaped because a table looks for it even there.
 */
export function codeMarkdown(text: string): string {
  const line = cleanLine(text.replace(/ +/g, ' ')).trim().replaceAll('|', '\\|');
  if (line === '') return '*(empty)*';
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** The title of what is folded: HTML, in which Markdown knows no markup, but GitHub still looks for mentions. */
export function escapeSummary(text: string): string {
  return cleanLine(text)
    .replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/(^|\W)@(?=\w)/g, '$1@<!-- -->');
}
