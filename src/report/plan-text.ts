import type { Hold } from '../model/desired.js';
import { type Action, ENTITIES, type Entity, SINGULAR } from '../model/entity.js';
import { isJsonObject } from '../model/json.js';
import type { Counts, PlannedChange } from '../model/plan.js';
import type { PlanHead, PlanSummary } from '../planning/plan-file.js';
import { renderBulkLoad } from './bulk-text.js';
import { renderGuards } from './guards-text.js';
import { renderHolds } from './holds-text.js';
import { isWholeRead, renderUnprovenReads } from './reads-text.js';
import { createStyle, displayWidth, padDisplay, plural, type Style, wrapItems } from './style.js';
import { showChange, showValue } from './values-text.js';

const SIGN: Readonly<Record<Action, string>> = {
  create: '+',
  update: '~',
  deactivate: '-',
  reactivate: '^',
  delete: '×',
};
/** Deactivations first: the dangerous part on top. */
const ORDER: readonly Action[] = ['delete', 'deactivate', 'reactivate', 'create', 'update'];
/** Creates are much alike, and a first load has thousands; whoever leaves or changes is looked at one by one. */
const SHOWN: Readonly<Record<Action, number>> = { create: 3, update: 12, deactivate: 12, reactivate: 12, delete: 12 };
const SHOWN_WAITING = 4;
const SHOWN_DERIVED = 20;
const LONGEST_LABEL = 56;

export interface PlanText {
  readonly head: PlanHead;
  /** May be walked several times. */
  readonly changes: () => Iterable<PlannedChange>;
  readonly holds: () => Iterable<Hold>;
  readonly color: boolean;
  /** Lists every change, not the first few of each kind. */
  readonly all: boolean;
}

/** A plan for a terminal: counts, what waits for a person, what is held, then the changes with their reasons. */
export function renderPlan(plan: PlanText): string {
  const style = createStyle(plan.color);
  const { summary } = plan.head;
  const groups = gatherGroups(plan);
  const blocks = [
    renderCounts(plan.head, style),
    renderUnprovenReads(summary.evidence, style),
    renderGuards(summary.guards, '', style),
    renderHolds(plan.holds(), plan.all, style),
    renderBulkLoad(summary.bulkLoad, style),
    ...ENTITIES.flatMap((entity) =>
      ORDER.map((action) => renderGroup(groups.get(`${entity}.${action}`), plan.all, style)),
    ),
    renderCost(plan.head, style),
  ];
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function renderCounts({ summary, plan, expires }: PlanHead, style: Style): readonly string[] {
  const total = Object.values(summary.counts)
    .flatMap((actions) => Object.values(actions))
    .reduce((a, b) => a + b, 0);
  const held = summary.held === 0 ? '' : style.warn(`, ${plural(summary.held, 'record')} held`);
  const what = total === 0 ? renderNothing(summary, style) : plural(total, 'change');
  const until = total === 0 ? '' : style.dim(`, good until ${expires.slice(0, 16).replace('T', ' ')} UTC`);
  return [`${style.bold('Plan')} ${plan}: ${what}${held}${until}`, ...listCounts(summary.counts)];
}

function renderNothing({ evidence, held }: PlanSummary, style: Style): string {
  if (!isWholeRead(evidence)) return 'nothing to change in what could be read';
  return held > 0 ? 'nothing to change' : style.good('nothing to change: both sides are equal');
}

/** One line an action, which tells what the signs further down mean as well: `  + create      40 customers, 1 user`. */
export function listCounts(counts: Counts): readonly string[] {
  return ORDER.flatMap((action) => {
    const parts = ENTITIES.flatMap((entity) => {
      const count = counts[entity]?.[action] ?? 0;
      return count === 0 ? [] : [plural(count, SINGULAR[entity], entity.replace('_', ' '))];
    });
    return parts.length === 0 ? [] : [`  ${SIGN[action]} ${action.padEnd(10)}  ${parts.join(', ')}`];
  });
}

interface Group {
  readonly entity: Entity;
  readonly action: Action;
  readonly shown: PlannedChange[];
  count: number;
  /** The reason all have in common, null when they differ. */
  reason: string | null;
  /** The guard or need that all wait for, null when they differ or don't wait. */
  waits: string | null;
}

/** One walk over the plan; of each kind of change only what is shown is kept. */
function gatherGroups({ changes, all }: PlanText): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const change of changes()) {
    const { entity, action, reason } = change;
    const name = `${entity}.${action}`;
    const waits = change.withheld?.name ?? null;
    const group = groups.get(name) ?? { entity, action, shown: [], count: 0, reason: reason.text, waits };
    groups.set(name, group);
    group.count += 1;
    if (group.reason !== reason.text) group.reason = null;
    if (group.waits !== waits) group.waits = null;
    if (all || group.shown.length < (isDerived(entity) ? SHOWN_DERIVED : SHOWN[action])) group.shown.push(change);
  }
  return groups;
}

function renderGroup(group: Group | undefined, all: boolean, style: Style): readonly string[] {
  if (group === undefined) return [];
  const { entity, action, count, reason, waits } = group;
  // Whatever waits as a whole is decided as a whole: the guard's cause says more than a dozen names.
  const shown = waits === null || all ? group.shown : group.shown.slice(0, SHOWN_WAITING);
  if (isDerived(entity) && reason !== null) return listDerived(group, reason, style);
  const common = count > 1 ? reason : null;
  const wait = waits === null ? '' : `, waiting for ${waits}`;
  const title = `${entity.replace('_', ' ')} to ${action} (${count})`;
  const lines = [style.bold(title) + style.bad(wait)];
  if (common !== null && title.length + wait.length + common.length < 96) lines[0] += style.dim(`: ${common}`);
  else if (common !== null) lines.push(style.dim(`    ${common}`));
  const width = Math.min(LONGEST_LABEL, Math.max(...shown.map(({ label }) => displayWidth(label))));
  for (const change of shown) lines.push(...renderChange(change, width, group, style));
  if (shown.length < count) lines.push(style.dim(`    … and ${count - shown.length} more (--all)`));
  return lines;
}

/** Offices and tags have no row of their own and no fields worth reading: their names in a few lines will do. */
function isDerived(entity: Entity): boolean {
  return !ENTITIES.some((sourced) => sourced === entity);
}

function listDerived({ entity, action, shown, count, waits }: Group, reason: string, style: Style): readonly string[] {
  const wait = waits === null ? '' : style.bad(`, waiting for ${waits}`);
  const more = shown.length < count ? [`… and ${count - shown.length} more (--all)`] : [];
  const labels = [...shown.map(({ label }) => label), ...more];
  return [
    `${style.bold(`${entity.replace('_', ' ')} to ${action} (${count})`)}${wait}${style.dim(`: ${reason}`)}`,
    ...wrapItems(labels, ' · ', 92).map((line) => `  ${style.good(SIGN[action])} ${line}`),
  ];
}

function renderChange(change: PlannedChange, width: number, group: Group, style: Style): readonly string[] {
  const { action, label, place, reason, withheld, approval } = change;
  const paint = action === 'deactivate' ? style.bad : action === 'update' ? style.warn : style.good;
  const waits = withheld === null || group.waits !== null ? '' : style.bad(`  waits for ${withheld.name}`);
  const approved = approval === null ? '' : style.good(`  approved: ${approval}`);
  const about = [describe(change), place === 'absent' ? '' : place].filter((part) => part !== '').join('  ');
  const lines = [
    `  ${paint(SIGN[action])} ${padDisplay(label, width)}  ${style.dim(about)}${waits}${approved}`.trimEnd(),
  ];
  if (group.count === 1 || group.reason === null) lines.push(style.dim(`      ${reason.text}`));
  if (action === 'create' || action === 'deactivate') return lines;
  for (const field of change.fields) {
    lines.push(...showChange(field, change.before[field], change.after[field]).map((line) => `      ${line}`));
  }
  return lines;
}

/** What tells new objects apart at a glance. */
function describe({ action, after }: PlannedChange): string {
  if (action !== 'create') return '';
  if (isJsonObject(after.office)) return showValue(after.office, 40);
  return typeof after.customer === 'string' ? `for ${after.customer}` : '';
}

function renderCost({ summary, file }: PlanHead, style: Style): readonly string[] {
  const { cost } = summary;
  const calls = `${plural(cost.writes, 'write')}${cost.reads > 0 ? ` and ${plural(cost.reads, 'read')}` : ''}`;
  const lines =
    cost.writes + cost.reads === 0 ? [] : [`Applying it takes ${calls}, about ${formatSeconds(cost.seconds)}:`];
  for (const [endpoint, count] of Object.entries(cost.by_endpoint))
    lines.push(`  ${String(count).padStart(6)}  ${endpoint}`);
  return [...lines, style.dim(`Saved as ${file}`)];
}

export function formatSeconds(seconds: number): string {
  if (seconds < 1) return 'a second';
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
