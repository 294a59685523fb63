import type { Report } from '../sections/report.js';
import { listDeliveryWords, tellCalls, tellDeliveryState, tellNearMisses, tellSlot } from '../sections/source-words.js';
import type { ReportTally } from '../sections/tally.js';
import { codeMarkdown as code, escapeMarkdown as text } from './markdown-text.js';
import { clip } from './style.js';

/** What each source is told, in numbers, with the guard that it waits for; and what it shows in a form of its own. */
export function renderToSources(report: Report, { sources }: ReportTally): string {
  const rows = [...sources].map(([source, { records, values, columns, waits }]) => {
    const names = [...columns].map(([column, count]) => `${code(column)} ${count}`).join(', ');
    const waiting = [...waits].map(([about, count]) => `**${count} waiting ${text(about)}**`).join(', ');
    return `| ${code(source)} | ${records} | ${values} | ${names} | ${text(tellCalls(report, source) ?? '')} | ${waiting} |`;
  });
  const table =
    rows.length === 0
      ? ''
      : `| to source | records | values | columns | forecast | waiting |\n|---|--:|--:|---|---|---|\n${rows.join('\n')}\n`;
  const near = report.nearMisses.map(
    (one) =>
      `\n${code(one.source)} shows ${code(one.column)} in a form of its own, which counts as equal: ${text(clip(tellNearMisses(one), 200))}.\n`,
  );
  return `${table}${near.join('')}`;
}

/** Reports of the service that are due, or how they went. */
export function renderDeliveries(report: Report): string {
  const rows = listDeliveryWords(report).map((words) => {
    const { name, of, state, about } = words;
    return `| ${code(name)} | ${text(of)} | ${tellSlot(words)} | ${tellDeliveryState(state)} | ${text(clip(about, 300))} |`;
  });
  return rows.length === 0 ? '' : `| report | of | time | state | |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}
