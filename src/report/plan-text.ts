import type { Hold } from '../model/desired.js';
import { type Action, ENTITIES, type Entity, SINGULAR } from '../model/entity.js';
import { canonicalJson, isJsonObject, type Json } from '../model/json.js';
import type { PlannedChange } from '../model/plan.js';
import type { PlanHead } from '../planning/plan-file.js';
import { clip, createStyle, plural, type Style } from './style.js';

const SIGN: Readonly<Record<Action, string>> = { create: '+', update: '~', deactivate: '-', reactivate: '^' };
const PAST: Readonly<Record<Action, string>> = {
  create: 'to create',
  update: 'to update',
  deactivate: 'to deactivate',
  reactivate: 'to reactivate',
};
/** Deactivations first: the dangerous part on top. */
const ORDER: readonly Action[] = ['deactivate', 'reactivate', 'create', 'update'];
const SHOWN = 12;

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
  const lines: string[] = [renderCounts(plan.head, style), ''];
  for (const trip of summary.guards) {
    lines.push(
      style.bad(
        `! guard ${trip.guard} holds ${plural(trip.held, 'change')}: ${trip.found} found, ${trip.limit} allowed`,
      ),
      `    cause: ${trip.cause} — ${trip.detail}`,
      `    to let them pass: talent-sync approve --guard ${trip.guard} --reason "…"`,
      '',
    );
  }
  lines.push(...renderHolds(plan, style));
  for (const entity of ENTITIES) for (const action of ORDER) lines.push(...renderGroup(plan, entity, action, style));
  lines.push(...renderCost(plan.head, style));
  return `${lines.join('\n')}\n`;
}

function renderCounts({ summary, plan }: PlanHead, style: Style): string {
  const parts = ENTITIES.flatMap((entity) =>
    ORDER.flatMap((action) => {
      const count = summary.counts[entity]?.[action];
      const name = entity.replace('_', ' ');
      return count === undefined ? [] : [`${count} ${count === 1 ? SINGULAR[entity] : name} ${PAST[action]}`];
    }),
  );
  const held = summary.held === 0 ? '' : `, ${plural(summary.held, 'record')} held`;
  const what = parts.length === 0 ? style.good('nothing to change: both sides are equal') : parts.join(', ');
  return `${style.bold('Plan')} ${plan}: ${what}${held}`;
}

function renderHolds({ holds, all }: PlanText, style: Style): readonly string[] {
  const lines: string[] = [];
  let more = 0;
  for (const { entity, key, place, code, reason, remedy } of holds()) {
    if (!all && lines.length >= SHOWN * 3) {
      more += 1;
      continue;
    }
    lines.push(
      style.warn(`? held ${entity} ${key} (${place})`),
      `    ${code}: ${clip(reason, 300)}`,
      style.dim(`    ${remedy}`),
    );
  }
  if (more > 0) lines.push(style.dim(`  … and ${more} more held; --all shows them`));
  return lines.length === 0 ? [] : [...lines, ''];
}

function renderGroup(plan: PlanText, entity: Entity, action: Action, style: Style): readonly string[] {
  const total = plan.head.summary.counts[entity]?.[action] ?? 0;
  if (total === 0) return [];
  const lines = [style.bold(`${entity.replace('_', ' ')} ${PAST[action]} (${total})`)];
  let shown = 0;
  for (const change of plan.changes()) {
    if (change.entity !== entity || change.action !== action) continue;
    if (!plan.all && shown >= SHOWN) break;
    shown += 1;
    lines.push(...renderChange(change, style));
  }
  if (shown < total)
    lines.push(style.dim(`    … and ${total - shown} more; --all shows them, the plan file has them all`));
  return [...lines, ''];
}

function renderChange(change: PlannedChange, style: Style): readonly string[] {
  const paint = change.action === 'deactivate' ? style.bad : change.action === 'update' ? style.warn : style.good;
  const waits = change.withheld === null ? '' : style.bad(` [waits: ${change.withheld.name}]`);
  const approved = change.approval === null ? '' : style.good(` [approved: ${change.approval}]`);
  const lines = [
    `  ${paint(SIGN[change.action])} ${change.label}  ${style.dim(`${change.reason.text} · ${change.place}`)}${waits}${approved}`,
  ];
  if (change.action === 'create' || change.action === 'deactivate') return lines;
  for (const field of change.fields) {
    lines.push(`      ${field}: ${show(change.before[field])} → ${show(change.after[field])}`);
  }
  return lines;
}

function show(value: Json | undefined): string {
  if (value === null || value === undefined || value === '') return '(empty)';
  if (typeof value === 'string') return clip(JSON.stringify(value), 70);
  if (Array.isArray(value))
    return clip(value.map((item: Json) => (typeof item === 'string' ? item : canonicalJson(item))).join(', '), 70);
  if (isJsonObject(value)) {
    return clip(
      Object.entries(value)
        .map(([name, item]) => `${name} ${typeof item === 'string' ? JSON.stringify(item) : canonicalJson(item)}`)
        .join(', '),
      90,
    );
  }
  return String(value);
}

function renderCost({ summary, file, fingerprint, expires }: PlanHead, style: Style): readonly string[] {
  const { cost } = summary;
  const calls = `${plural(cost.writes, 'write')}${cost.reads > 0 ? ` and ${plural(cost.reads, 'read')}` : ''}`;
  const lines =
    cost.writes + cost.reads === 0 ? [] : [`Applying it takes ${calls}, about ${formatSeconds(cost.seconds)}:`];
  for (const [endpoint, count] of Object.entries(cost.by_endpoint))
    lines.push(`  ${String(count).padStart(6)}  ${endpoint}`);
  return [
    ...lines,
    style.dim(`Saved as ${file}`),
    style.dim(`fingerprint ${fingerprint.slice(0, 16)}, expires ${expires}`),
  ];
}

export function formatSeconds(seconds: number): string {
  if (seconds < 1) return 'a second';
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
