import type { Hold } from '../../model/desired.js';
import { ENTITIES, TRAITS } from '../../model/entity.js';
import { isJsonObject } from '../../model/json.js';
import type { Counts, PlannedChange } from '../../model/plan.js';
import type { PlannedSourceChange } from '../../model/write-back.js';
import type { PlanHead, PlanSummary } from '../../planning/saved/plan-file.js';
import { listDifferences } from '../sections/differences.js';
import { BY_DANGER, lookOf, nameEntities } from '../sections/kinds.js';
import { formatMinute } from '../texts/run-lines.js';
import { renderAdoption } from './adoption-text.js';
import { renderBulkLoad } from './bulk-text.js';
import { renderDue } from './delivery-text.js';
import { foldDifferences } from './fold-text.js';
import { renderGuards } from './guards-text.js';
import { renderHolds } from './holds-text.js';
import { describeCalm, EQUAL, isWholeRead, renderUnprovenReads } from './reads-text.js';
import { renderNear, renderSourceCalls, renderToSources } from './sources-text.js';
import {
  chooseWidth,
  clip,
  createStyle,
  describeMails,
  displayWidth,
  formatSeconds,
  joinLines,
  padDisplay,
  plural,
  type Style,
  wrapItems,
} from './style.js';
import { showValue } from './values-text.js';

const SHOWN_WAITING = 4;
const SHOWN_DERIVED = 20;
/** Names are put in line with each other, unless one of them is so long that the rest would stand far off. */
const LONGEST_LABEL = 56;
/** A kind whose changes are long shows fewer of them, or it would hide those after it. */
const LINES_SHOWN = 40;

export interface PlanText {
  readonly head: PlanHead;
  /** May be walked several times. */
  readonly changes: () => Iterable<PlannedChange>;
  readonly toSources: () => Iterable<PlannedSourceChange>;
  readonly holds: () => Iterable<Hold>;
  readonly color: boolean;
  /** Columns of the terminal; null where there is none. */
  readonly width: number | null;
  /** Lists every change, not the first few of each kind. */
  readonly all: boolean;
}

interface PlanLayout {
  readonly style: Style;
  readonly width: number;
  readonly all: boolean;
}

/** A plan for a terminal: counts, what waits for a person, what is held, then the changes, the dangerous ones first. */
export function renderPlan(plan: PlanText): string {
  const style = createStyle(plan.color);
  const width = chooseWidth(plan.width);
  const look: PlanLayout = { style, width, all: plan.all };
  const { summary } = plan.head;
  const blocks = [
    renderCounts(plan.head, look),
    renderUnprovenReads(summary.evidence, style, width),
    renderGuards(summary.guards, '', style, width),
    renderAdoption(summary.adoption, style, width),
    renderHolds(plan.holds(), plan.all, style, width),
    renderBulkLoad(summary.bulkLoad, style, width),
    ...orderGroups(gatherGroups(plan)).map((group) => renderGroup(group, look)),
    renderToSources(plan.toSources(), summary.toSources, plan.all, style, width),
    renderNear(
      summary.nearMisses.reduce((sum, { records }) => sum + records, 0),
      style,
      width,
    ),
    renderDue(summary.deliveries, style, width),
    renderCost(plan.head, look),
  ];
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map(joinLines).join('\n\n')}\n`;
}

function renderCounts({ summary, plan, expires }: PlanHead, { style, width }: PlanLayout): readonly string[] {
  const total = sumOf(summary.counts);
  const held = summary.held === 0 ? '' : style.warn(`, ${plural(summary.held, 'record')} held`);
  const what = total === 0 ? renderNothing(summary, style) : plural(total, 'change');
  const until = total === 0 ? '' : `good until ${formatMinute(expires)}`;
  const fits = `Plan ${plan}: ${total} changes, ${summary.held} records held, ${until}`.length <= width;
  return [
    `${style.bold('Plan')} ${plan}: ${what}${held}${fits && until !== '' ? style.dim(`, ${until}`) : ''}`,
    ...(fits ? [] : [style.dim(`  ${until}`)]),
    ...listCounts(summary.counts, width, (action, line) => style[lookOf(action).tone](line)),
  ];
}

function sumOf(counts: Counts): number {
  return Object.values(counts)
    .flatMap((actions) => Object.values(actions))
    .reduce((a, b) => a + b, 0);
}

function renderNothing({ evidence, held, toSources }: PlanSummary, style: Style): string {
  if (isWholeRead(evidence) && Object.keys(toSources).length > 0) return 'nothing to change in the service';
  const calm = describeCalm(evidence, held);
  return calm === EQUAL ? style.good(calm) : calm;
}

/**
 * One line an action, the most dangerous one first, which tells what the signs further down mean as well:
 * `  + create      40 customers, 1 user`.
 */
export function listCounts(
  counts: Counts,
  width: number,
  paint: (action: string, line: string) => string = (_, line) => line,
): readonly string[] {
  return BY_DANGER.flatMap((action) => {
    const parts = ENTITIES.flatMap((entity) => {
      const count = counts[entity]?.[action] ?? 0;
      return count === 0 ? [] : [plural(count, TRAITS[entity].singular, nameEntities(entity))];
    });
    const lines = wrapItems(parts, ', ', width - 16);
    return lines.map((line, i) =>
      i === 0
        ? `  ${paint(action, `${lookOf(action).sign} ${action.padEnd(10)}`)}  ${line}`
        : `${' '.repeat(16)}${line}`,
    );
  });
}

interface PlanGroup {
  readonly entity: string;
  readonly action: string;
  readonly shown: PlannedChange[];
  count: number;
  /** The reason all have in common, null when they differ. */
  reason: string | null;
  /** The guard or need that all wait for, null when they differ or don't wait. */
  waits: string | null;
}

/** One walk over the plan; of each kind of change only what is shown is kept. */
function gatherGroups({ changes, all }: PlanText): readonly PlanGroup[] {
  const groups = new Map<string, PlanGroup>();
  for (const change of changes()) {
    const { entity, action, reason } = change;
    const name = `${entity}.${action}`;
    const waits = change.withheld?.name ?? null;
    const group = groups.get(name) ?? { entity, action, shown: [], count: 0, reason: reason.text, waits };
    groups.set(name, group);
    group.count += 1;
    if (group.reason !== reason.text) group.reason = null;
    if (group.waits !== waits) group.waits = null;
    if (all || group.shown.length < (isDerived(change) ? SHOWN_DERIVED : lookOf(action).shown))
      group.shown.push(change);
  }
  return [...groups.values()];
}

/** What takes something away stands on top, whatever it is taken from; else in the order of application. */
function orderGroups(groups: readonly PlanGroup[]): readonly PlanGroup[] {
  const entities: readonly string[] = ENTITIES;
  const place = ({ entity }: PlanGroup): number =>
    entities.includes(entity) ? entities.indexOf(entity) : entities.length;
  const rank = ({ action }: PlanGroup): number => (lookOf(action).tone === 'bad' ? lookOf(action).rank : 99);
  return groups.toSorted(
    (a, b) => rank(a) - rank(b) || place(a) - place(b) || lookOf(a.action).rank - lookOf(b.action).rank,
  );
}

function renderGroup(group: PlanGroup, look: PlanLayout): readonly string[] {
  const { entity, action, count, reason, waits } = group;
  const { style, width, all } = look;
  // Whatever waits as a whole is decided as a whole: the guard's cause says more than a dozen names.
  const shown = waits === null || all ? group.shown : group.shown.slice(0, SHOWN_WAITING);
  if (reason !== null && group.shown.every(isDerived)) return listDerived(group, reason, look);
  const common = count > 1 ? reason : null;
  const wait = waits === null ? '' : `, waiting for ${waits}`;
  const title = `${nameEntities(entity)} to ${action} (${count})`;
  const lines = [style.bold(title) + style.bad(wait)];
  if (common !== null && title.length + wait.length + common.length + 2 <= Math.min(width, 96))
    lines[0] += style.dim(`: ${common}`);
  else if (common !== null) lines.push(...fold(common, 4, look));
  const longest = Math.max(...shown.map(({ label }) => displayWidth(label)));
  const labels = Math.min(LONGEST_LABEL, width - 4, longest);
  let listed = 0;
  for (const change of shown) {
    if (!all && lines.length > LINES_SHOWN) break;
    lines.push(...renderChange(change, labels, group, look));
    listed += 1;
  }
  if (listed < count) lines.push(style.dim(`    … and ${count - listed} more (--all)`));
  return lines;
}

/** What is created only because a record refers to it has no fields worth reading: names in a few lines will do. */
function isDerived({ action, reason }: PlannedChange): boolean {
  return action === 'create' && reason.kind === 'referenced';
}

function listDerived(group: PlanGroup, reason: string, { style, width }: PlanLayout): readonly string[] {
  const { entity, action, shown, count, waits } = group;
  const { sign, tone } = lookOf(action);
  const wait = waits === null ? '' : style.bad(`, waiting for ${waits}`);
  const more = shown.length < count ? [`… and ${count - shown.length} more (--all)`] : [];
  const labels = [...shown.map(({ label }) => clip(label, width - 4)), ...more];
  return [
    `${style.bold(`${nameEntities(entity)} to ${action} (${count})`)}${wait}${style.dim(`: ${reason}`)}`,
    ...wrapItems(labels, ' · ', width - 4).map((line) => `  ${style[tone](sign)} ${line}`),
  ];
}

/** On one line what fits there; else the name alone, and under it where it stands and why. */
function renderChange(change: PlannedChange, labels: number, group: PlanGroup, look: PlanLayout): readonly string[] {
  const { style, width } = look;
  const { action, label, place, reason, withheld, approval } = change;
  const { sign, tone } = lookOf(action);
  const name = `  ${style[tone](sign)} ${padDisplay(clip(label, width - 4), labels)}`;
  const about = [describe(change), place === 'absent' ? '' : place].filter((part) => part !== '').join('  ');
  const waits = withheld === null || group.waits !== null ? '' : `waits for ${withheld.name}`;
  const why = group.count === 1 || group.reason === null ? reason.text : '';
  const used = 4 + Math.max(labels, displayWidth(label));
  const fits = used + displayWidth(`  ${about}  ${waits}`) <= width;
  const beside = [about === '' ? '' : style.dim(about), waits === '' ? '' : style.bad(waits)].filter(
    (part) => part !== '',
  );
  const lines = fits
    ? [[about === '' && waits === '' ? name.trimEnd() : name, ...beside].join('  '), ...fold(why, 6, look)]
    : [name.trimEnd(), ...fold([about, why].filter((part) => part !== '').join(' · '), 6, look)];
  if (!fits && waits !== '') lines.push(`      ${style.bad(waits)}`);
  if (approval !== null) lines.push(`      ${style.good(clip(`approved: ${approval}`, width - 6))}`);
  if (action === 'create' || tone === 'bad') return lines;
  return [...lines, ...foldDifferences(listDifferences(change), 6, width, style)];
}

function fold(text: string, indent: number, { style, width }: PlanLayout): readonly string[] {
  return text === ''
    ? []
    : wrapItems(clip(text, 600).split(' '), ' ', width - indent).map((line) => ' '.repeat(indent) + style.dim(line));
}

/** What tells new objects apart at a glance. */
function describe({ action, after }: PlannedChange): string {
  if (action !== 'create') return '';
  if (isJsonObject(after.office)) return showValue(after.office, 40);
  return typeof after.customer === 'string' ? `for ${after.customer}` : '';
}

function renderCost({ summary, file }: PlanHead, { style, width }: PlanLayout): readonly string[] {
  const { cost } = summary;
  const calls = `${plural(cost.writes, 'write')}${cost.reads > 0 ? ` and ${plural(cost.reads, 'read')}` : ''}`;
  const lines =
    cost.writes + cost.reads === 0 ? [] : [`Applying it takes ${calls}, about ${formatSeconds(cost.seconds)}:`];
  for (const [endpoint, count] of Object.entries(cost.by_endpoint))
    lines.push(`  ${String(count).padStart(6)}  ${endpoint}`);
  lines.push(...renderSourceCalls(cost.sources, style, width));
  if (cost.mails !== undefined)
    lines.push(style.warn(`${describeMails(cost.mails)} (\`notify_people\`); an e-mail cannot be taken back.`));
  return [...lines, style.dim(`Saved as ${file}`)];
}
