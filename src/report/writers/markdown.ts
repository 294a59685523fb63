import { isJsonObject } from '../../model/json.js';
import type { GuardTrip } from '../../model/plan.js';
import { wordsOf } from '../sections/differences.js';
import { listMore } from '../sections/guard-details.js';
import { lookOf, nameEntities, nameOne, TELL } from '../sections/kinds.js';
import { groupOf, type Report, type ReportChange, STATES } from '../sections/report.js';
import { tellCounts } from '../sections/source-words.js';
import { type ReportTally, tallyReport } from '../sections/tally.js';
import { formatMinute } from '../texts/run-lines.js';
import { tellHeld } from './guards-text.js';
import { reasonOf } from './holds-text.js';
import { renderDeliveries, renderToSources } from './markdown-both-sides.js';
import { renderAdoption, renderBulkLoad } from './markdown-first-load.js';
import { codeMarkdown as code, escapeMarkdown as text } from './markdown-text.js';
import { renderDifference } from './markdown-values.js';
import { clip, describeMails, formatSeconds, plural } from './style.js';

/** A comment on GitHub takes 65,536 characters; what does not fit is said, and the CSV has it. */
const LONGEST = 60_000;
const SHOWN_CHANGES = 100;
const SHOWN_HOLDS = 20;
const SHOWN_DIFFERENCES = 12;

/** For a pull request or a ticket: numbers and whatever waits for a person in the open, everything else folded. */
export async function* renderMarkdown(report: Report): AsyncIterable<string> {
  const tally = await tallyReport(report, SHOWN_HOLDS);
  const head = [
    renderHead(report, tally),
    renderCounts(tally),
    ...report.guards.map((trip) => renderTrip(trip, report)),
    ...(report.adoption ?? []).map(renderAdoption),
    renderHolds(tally),
    renderBulkLoad(report.bulkLoad),
    renderToSources(report, tally),
    renderDeliveries(report),
  ];
  const foot = [renderEvidence(report), renderCost(report)].filter((block) => block !== '');
  const taken = [...head, ...foot].reduce((sum, block) => sum + block.length + 1, 0);
  for (const block of head) if (block !== '') yield `${block}\n`;
  const groups = await gatherGroups(report);
  // An even share for each, dangerous ones first: what one leaves over, the next ones may take.
  let room = LONGEST - taken;
  for (const [i, group] of groups.entries()) {
    const block = renderGroup(group, Math.floor(room / (groups.length - i)));
    room -= block.length + 1;
    yield `${block}\n`;
  }
  for (const block of foot) yield `${block}\n`;
}

function renderHead(report: Report, { total, states, held, sources }: ReportTally): string {
  const parts = [...states]
    .filter(([state]) => state !== 'planned')
    .map(([state, count]) => `${count} ${STATES[state].name}`);
  const nothing = sources.size === 0 ? 'nothing to change' : 'nothing to change in the service';
  const changes = total === 0 ? nothing : plural(total, 'change');
  const words = [changes, ...tellCounts(sources).map(text), ...parts, ...(held > 0 ? [`${held} held`] : [])].join(', ');
  const facts = report.facts.map(({ name, value }) => `${name}: ${code(value)}`).join(' · ');
  const notes = report.notes.map((note) => `\n> **${text(note)}**\n`).join('');
  return `## ${report.kind === 'plan' ? 'Plan' : 'Run'} ${code(report.id)}: ${words}\n${notes}\n<sub>${facts}</sub>\n`;
}

function renderCounts({ rows: all, entities, actions, counts }: ReportTally): string {
  if (all === 0) return '';
  const rows = entities.map((entity) => {
    const numbers = actions.map((action) => counts.get(entity)?.get(action) ?? 0);
    const sum = numbers.reduce((a, b) => a + b, 0);
    return `| ${nameEntities(entity)} | ${numbers.map((count) => (count === 0 ? '' : count)).join(' | ')} | ${sum} |`;
  });
  const head = actions.map((action) => `${code(lookOf(action).sign)} ${action}`);
  return `| | ${head.join(' | ')} | all |\n|---|${actions.map(() => '--:|').join('')}--:|\n${rows.join('\n')}\n`;
}

function renderTrip(trip: GuardTrip, { kind, id }: Report): string {
  const { guard, found, limit, cause, detail } = trip;
  const plan = kind === 'plan' ? `${id} ` : '';
  return [
    `> **Guard ${code(guard)} holds ${tellHeld(trip)}**: ${found} found, ${limit} allowed.`,
    `> Cause: **${text(cause)}** — ${text(detail)}`,
    ...listMore(trip).map(([name, more]) => `> ${text(name)}: ${text(clip(more, 600))}`),
    '>',
    `> To let them pass: ${code(`talent-sync approve ${plan}--guard ${guard} --reason "…"`)}`,
    '',
  ].join('\n');
}

function renderHolds({ held, holds }: ReportTally): string {
  if (held === 0) return '';
  const blocks = holds.map(({ code: name, count, shown, remedy }) => {
    const rows = shown.map(
      (hold) =>
        `| ${code(`${nameOne(hold.entity)} ${hold.key}`)} | ${text(clip(reasonOf(hold), 300))} | ${code(hold.place)} |`,
    );
    const more = count > shown.length ? `\n… and ${count - shown.length} more; \`--json\` gives them all.\n` : '';
    return `<details><summary>Held: ${count} × <code>${name}</code></summary>\n\n${text(remedy)}\n\n| record | why | where |\n|---|---|---|\n${rows.join('\n')}\n${more}\n</details>\n`;
  });
  return blocks.join('\n');
}

interface Group {
  readonly entity: string;
  readonly action: string;
  readonly lines: string[];
  readonly waits: Set<string>;
  count: number;
}

/** One walk; of each kind of change only as many rows are kept as could be shown. */
async function gatherGroups(report: Report): Promise<readonly Group[]> {
  const groups = new Map<string, Group>();
  for await (const change of report.changes()) {
    const { action, state, about } = change;
    const entity = groupOf(change);
    const name = `${entity}.${action}`;
    const group = groups.get(name) ?? { entity, action, lines: [], waits: new Set<string>(), count: 0 };
    groups.set(name, group);
    group.count += 1;
    if (state === 'waits') group.waits.add(about);
    if (group.lines.length < SHOWN_CHANGES) group.lines.push(renderChange(change));
  }
  return [...groups.values()].sort((a, b) => lookOf(a.action).rank - lookOf(b.action).rank);
}

function renderChange({ label, sourceRecord, place, state, about, reason, differences, action }: ReportChange): string {
  const shown = differences.slice(0, SHOWN_DIFFERENCES).map((one) => renderDifference(one, action));
  const more = differences.length > shown.length ? [`… and ${differences.length - shown.length} more fields`] : [];
  const is = state === 'planned' ? '' : `${STATES[state].name} ${text(clip(about, 300))}`.trim();
  const who = sourceRecord === null ? code(label) : `${code(sourceRecord.record)} ${code(label)}`;
  return `| ${who} | ${[...shown, ...more].join('<br>')} | ${text(clip(reason.text, 200))} | ${place === '' ? '' : code(place)} | ${is} |`;
}

function renderGroup({ entity, action, lines, waits, count }: Group, room: number): string {
  const waiting =
    waits.size === 0
      ? ''
      : `, waits ${[...waits]
          .slice(0, 3)
          .map((name) => text(name))
          .join(', ')}`;
  const head = `<details><summary><b>${action === TELL ? text(entity.replace(/^to /, '')) : nameEntities(entity)}</b> ${action === TELL ? 'is told' : `to ${action}`} (${count})${waiting}</summary>\n\n| who or what | what changes | why | where | state |\n|---|---|---|---|---|\n`;
  const shown: string[] = [];
  let left = room - head.length - 120;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0) break;
    shown.push(line);
  }
  const more =
    count > shown.length ? `\n… and ${count - shown.length} more: the HTML and CSV reports list them.\n` : '';
  return `${head}${shown.join('\n')}\n${more}\n</details>\n`;
}

function renderEvidence({ evidence, readAt }: Report): string {
  if (evidence === null) return '';
  const rows = evidence.sources.filter(isJsonObject).map((read) => {
    const source = wordsOf(read.source) ?? '';
    const at = readAt[source];
    const whole = read.complete === true ? 'whole' : `**not whole**: ${text(wordsOf(read.because) ?? 'unknown')}`;
    const digest = wordsOf(read.digest);
    return `| ${code(source)} | ${code(wordsOf(read.at) ?? 'not read')} | ${at === undefined ? '' : formatMinute(at)} | ${wordsOf(read.rows) ?? ''} | ${wordsOf(read.rejected) ?? ''} | ${whole} | ${digest === null ? '' : code(digest.slice(0, 16))} |`;
  });
  return `<details><summary>Evidence: what was read</summary>\n\n| source | file or address | read at | rows | refused | complete | SHA-256 begins |\n|---|---|---|--:|--:|---|---|\n${rows.join('\n')}\n\n</details>\n`;
}

function renderCost({ cost, spent }: Report): string {
  if (cost === null && spent === null) return '';
  const sent =
    spent === null
      ? []
      : [
          `Sent ${plural(spent.writes, 'write')} and ${plural(spent.reads, 'read')} in ${formatSeconds(spent.seconds)}.`,
        ];
  const forecast =
    cost === null
      ? []
      : [
          `Forecast: ${plural(cost.writes, 'write')} and ${plural(cost.reads, 'read')}, about ${formatSeconds(cost.seconds)}.${cost.mails === undefined ? '' : ` ${describeMails(cost.mails)}.`}`,
        ];
  const rows = Object.entries(cost?.by_endpoint ?? {}).map(([endpoint, calls]) => `| ${code(endpoint)} | ${calls} |`);
  const table = rows.length === 0 ? '' : `\n| endpoint | forecast |\n|---|--:|\n${rows.join('\n')}\n`;
  return `<details><summary>Calls and time</summary>\n\n${[...sent, ...forecast].join(' ')}\n${table}\n</details>\n`;
}
