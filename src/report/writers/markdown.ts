import { gatherGroups, nameGroup, type ReportGroup } from '../sections/change-groups.js';
import { describeCounts, describeHeadline } from '../sections/counts.js';
import { listSections } from '../sections/list-sections.js';
import { columnsOf, type Report } from '../sections/report.js';
import { prose, type ReportSection } from '../sections/section.js';
import { type ReportTally, tallyReport } from '../sections/tally.js';
import { foldMarkdown, renderBlock, renderBlocks, renderHeads, renderRow } from './markdown-blocks.js';
import { codeMarkdown, escapeMarkdown } from './markdown-text.js';

/** GitHub accepts comments of up to 65,536 characters. The report states how much is left out; the CSV has everything. */
const LONGEST = 60_000;
const SHOWN_CHANGES = 100;
const SHOWN_HOLDS = 20;
const COLUMNS = columnsOf('markdown');

/**
 * Renders a report for a pull request or a ticket. Numbers and pending decisions are visible, and everything else is
 * folded.
 */
export async function* renderMarkdown(report: Report): AsyncIterable<string> {
  const tally = await tallyReport(report, SHOWN_HOLDS);
  const sections = listSections(report, tally).filter(({ id }) => id !== 'fields');
  const head = [renderHead(report, tally), ...sections.filter(({ isAside }) => isAside !== true).map(renderSection)];
  const foot = sections.filter(({ isAside }) => isAside === true).map(renderSection);
  for (const part of head) yield `${part}\n\n`;
  const groups = await gatherGroups(report.changes(), () => SHOWN_CHANGES);
  // Each group gets an equal share of the remaining characters, dangerous groups first. Unused characters go to the next
  // groups.
  let room = LONGEST - [...head, ...foot].reduce((sum, part) => sum + part.length + 2, 0);
  for (const [i, group] of groups.entries()) {
    const part = renderGroup(group, Math.floor(room / (groups.length - i)));
    room -= part.length + 2;
    yield `${part}\n\n`;
  }
  for (const part of foot) yield `${part}\n\n`;
}

function renderHead({ kind, id, facts, notes, tenant }: Report, tally: ReportTally): string {
  const counts = describeCounts(tally);
  return [
    `## ${tenant === null ? '' : `${escapeMarkdown(tenant)}: `}${kind === 'plan' ? 'Plan' : 'Run'} ${codeMarkdown(id)}: ${escapeMarkdown(describeHeadline(tally))}`,
    ...notes.map((note) => `> **${escapeMarkdown(note)}**`),
    `<sub>${facts.map(({ name, value }) => `${name}: ${codeMarkdown(value)}`).join(' · ')}</sub>`,
    ...(counts === null ? [] : [renderBlock(counts)]),
  ].join('\n\n');
}

function renderSection({ title, isAside, blocks }: ReportSection): string {
  return isAside === true ? foldMarkdown(title, renderBlocks(blocks)) : renderBlocks(blocks);
}

function renderGroup(group: ReportGroup, room: number): string {
  const waiting = group.waits.size === 0 ? '' : `, waits ${[...group.waits].slice(0, 3).join(', ')}`;
  const title = `${nameGroup(group)}${waiting}`;
  const shown: string[] = [];
  let left = room - title.length - 240;
  for (const change of group.shown) {
    const row = renderRow(COLUMNS.map(({ cell, text }) => cell?.(change) ?? prose(text(change))));
    left -= row.length + 1;
    if (left < 0) break;
    shown.push(row);
  }
  const rest = group.count - shown.length;
  const more = rest === 0 ? '' : `\n\n… and ${rest} more: the HTML and CSV reports list them.`;
  const heads = renderHeads(COLUMNS.map(({ head }) => ({ name: head })));
  return foldMarkdown(title, `${[heads, ...shown].join('\n')}${more}`);
}
