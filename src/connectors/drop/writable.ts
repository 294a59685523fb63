import type { FileStreamConfig } from './resolve-file-stream.js';

type WritableStreamConfig = Pick<FileStreamConfig, 'key' | 'rules' | 'writeBack'>;

/**
 * Returns a message that says why a column of a file stream cannot be written to; null if it can. The source need not
 * show the column.
 */
export function whyNotWritable({ key, rules, writeBack }: WritableStreamConfig, column: string): string | null {
  if (writeBack === null) return 'The source has no `write_back:`, so nothing is ever written to it.';
  if (column === key) return `\`${key}\` is the key: it identifies the row, and is never changed.`;
  const own = Object.entries(rules.aliases).find(([, others]) => others.includes(column))?.[0];
  if (own !== undefined) return `\`${column}\` is another name of \`${own}\`; write to \`${own}\`.`;
  if (column.trim() !== column || column === '' || column in Object.prototype || column === 'prototype') {
    return `"${column}" cannot be the name of a column.`;
  }
  if (writeBack.columns === null || writeBack.columns.includes(column)) return null;
  return `\`${column}\` is not among the \`columns\` of \`write_back\`, so no file would show it.`;
}
