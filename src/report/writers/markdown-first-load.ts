import type { AdoptionReport, BulkLoad } from '../../model/plan.js';
import { type AdoptionField, type SideWords, tellAdoption } from '../sections/adoption.js';
import { tellBulkLoad } from '../sections/bulk-load.js';
import { codeMarkdown as code, escapeMarkdown as text } from './markdown-text.js';
import { renderDifference } from './markdown-values.js';
import { clip } from './style.js';

const SHOWN_FIELDS = 30;

/** First contact: the numbers in the open, in what the pairs differ and who is on one side only folded. */
export function renderAdoption(report: AdoptionReport): string {
  const { title, keys, matched, fields, sides, doubtful } = tellAdoption(report);
  const by = keys.map(([key, count]) => `${count} by ${code(key)}`).join(', ');
  return [
    `### First contact: ${text(title)}\n`,
    `Matched: ${by}. Of these ${report.equal} are equal, and ${matched - report.equal} differ.`,
    ...(doubtful === null ? [] : [`**${doubtful}**: see what is held.`]),
    '',
    ...(fields.length === 0 ? [] : [renderFields(fields)]),
    ...sides.map(renderSide),
  ].join('\n');
}

function renderFields(fields: readonly AdoptionField[]): string {
  const rows = fields.slice(0, SHOWN_FIELDS).map(({ field, count, examples: [first] }) => {
    const example =
      first === undefined
        ? ''
        : `${code(first.label)}<br>${first.differences.map((one) => renderDifference(one, 'update')).join('<br>')}`;
    return `| ${text(field)} | ${count} | ${example} |`;
  });
  const more =
    fields.length > SHOWN_FIELDS
      ? `\n… and ${fields.length - SHOWN_FIELDS} more fields; \`--json\` gives them all.\n`
      : '';
  return `<details><summary>In what they differ</summary>\n\n| field | pairs | for example |\n|---|--:|---|\n${rows.join('\n')}\n${more}\n</details>\n`;
}

function renderSide({ name, count, what, labels, more }: SideWords): string {
  const items = labels.map((label) => `- ${code(clip(label, 200))}`);
  const others = more === 0 ? [] : [`- … and ${more} more`];
  return `<details><summary>${name}: ${count}, ${what}</summary>\n\n${[...items, ...others].join('\n')}\n\n</details>\n`;
}

/** How a first load travels, and who goes by a call of their own instead, and why. */
export function renderBulkLoad(bulk: BulkLoad | null): string {
  if (bulk === null) return '';
  const { title, refused, singly } = tellBulkLoad(bulk);
  const rows = singly.map(
    ({ people, reason, examples }) => `| ${people} | ${text(clip(reason, 300))} | ${code(clip(examples, 300))} |`,
  );
  const head = refused === null ? `**${text(title)}**\n` : `> **${text(title)}**\n> ${text(clip(refused, 600))}\n`;
  return rows.length === 0 ? head : `${head}\n| people | why | for example |\n|---|---|---|\n${rows.join('\n')}\n`;
}
