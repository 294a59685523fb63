import { cleanLine } from '../../model/clean-text.js';

/** Escapes prose from the data, so that no part of it becomes a heading, a link, HTML, an issue or a mention of a person. */
export function escapeMarkdown(text: string): string {
  return (
    cleanLine(text.replace(/ +/g, ' '))
      .replace(/[\\*_[\]~#!^$]/g, '\\$&')
      .replace(/[&<>|`]/g, (character) => `&#${character.charCodeAt(0)};`)
      // GitHub turns bare addresses into links.
      .replace(/:(?=\/\/)/g, '&#58;')
      .replace(/(?<=\bwww)\./gi, '&#46;')
      // The comment prevents `@team` from being a mention. The `@` of an e-mail address is never a mention.
      .replace(/(^|\W)@(?=\w)/g, '$1@<!-- -->')
  );
}

/**
 * Renders a value from the data as code, where Markdown has no markup. The fence is longer than any run of backticks in the
 * value. Bars are escaped, because tables recognise them even in code.
 */
export function codeMarkdown(text: string): string {
  const line = cleanLine(text.replace(/ +/g, ' ')).trim().replaceAll('|', '\\|');
  if (line === '') return '*(empty)*';
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/**
 * Escapes the title of folded text. The title is HTML, so Markdown has no markup there, but GitHub still recognises
 * mentions.
 */
export function escapeSummary(text: string): string {
  return cleanLine(text)
    .replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/(^|\W)@(?=\w)/g, '$1@<!-- -->');
}
