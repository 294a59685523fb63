import { inBatches } from '../../base/clock.js';
import type { Hold } from '../../model/desired.js';
import { ENTITIES, TRAITS } from '../../model/entity.js';
import type { Counts, PlannedChange } from '../../model/plan.js';
import type { PlannedSourceChange } from '../../model/write-back.js';
import type { OthersWaiting } from '../../planning/derived-run.js';
import type { PlanHead, PlanSummary } from '../../planning/saved/plan-file.js';
import { gatherGroups } from '../sections/change-groups.js';
import { listCost } from '../sections/cost.js';
import { type DeliveryWords, listDeliveryWords } from '../sections/deliveries.js';
import { listAdoption, listBulkLoad } from '../sections/first-contact.js';
import { listGuards } from '../sections/guards.js';
import { describeHeldCounts, groupHolds } from '../sections/held.js';
import { BY_DANGER, lookOf, nameEntities } from '../sections/kinds.js';
import { reportPlan } from '../sections/plan-report.js';
import { describeCalm, EQUAL, listReadNotes } from '../sections/reads.js';
import type { Report } from '../sections/report.js';
import type { ReportSection } from '../sections/section.js';
import { describeCalls, listToSources } from '../sections/to-sources.js';
import { listUnderstood } from '../sections/understood.js';
import { formatMinute, plural } from '../sections/words.js';
import { chooseWidth, clip, createStyle, joinLines, type Style, type TerminalLook, wrapItems } from './style.js';
import { fold, renderBlocks } from './terminal-blocks.js';
import { countShown, renderGroup } from './terminal-changes.js';
import { renderHolds } from './terminal-holds.js';

/** Maximum number of holds shown per code, because one wrong column causes thousands of identical holds. */
const SHOWN_HOLDS = 3;

export interface PlanText {
  readonly head: PlanHead;
  readonly others: OthersWaiting | null;
  /** Returns the changes. May be called several times. */
  readonly changes: () => Iterable<PlannedChange>;
  readonly toSources: () => Iterable<PlannedSourceChange>;
  readonly holds: () => Iterable<Hold>;
  readonly color: boolean;
  /** Columns of the terminal; null if there is none. */
  readonly width: number | null;
  /** Hides names from a reader who may not see them. */
  readonly veil?: ((report: Report) => Report) | null;
  /** True to list every change, not only the first few of each kind. */
  readonly all: boolean;
}

/** A plan for a terminal: counts, pending decisions, holds, then the changes. Dangerous changes come first. */
export async function renderPlan(plan: PlanText): Promise<string> {
  const { head, others, changes, toSources, holds, color, width, all, veil = null } = plan;
  const look: TerminalLook = { style: createStyle(color), width: chooseWidth(width) };
  const { summary, file, fingerprint } = head;
  const whole = reportPlan({
    ...summary,
    ...{ meta: head, file, fingerprint },
    ...{
      changes: () => inBatches(changes()),
      toSources: () => inBatches(toSources()),
      holds: () => inBatches(holds()),
    },
  });
  const report = veil === null ? whole : veil(whole);
  const groups = await gatherGroups(report.changes(), (change) =>
    all ? Number.POSITIVE_INFINITY : countShown(change),
  );
  const blocks = [
    renderCounts(head, look),
    renderNotes(listReadNotes(report.plan?.evidence ?? summary.evidence, 'read'), look),
    renderSection(
      listGuards(report.guards, { plan: head.only === undefined ? null : head.plan, afterwards: null }),
      look,
    ),
    renderSection(listUnderstood(report.plan?.understood ?? null, false), look),
    renderSection(listAdoption(report.plan?.adoption ?? null, new Set(), report.plan?.understood ?? null), look),
    renderHolds(await groupHolds(report.holds(), all ? Number.POSITIVE_INFINITY : SHOWN_HOLDS), look),
    renderOthers(others, look),
    renderSection(listBulkLoad(summary.bulkLoad), look),
    ...groups.map((group) => renderGroup(group, all, look)),
    renderSection(listToSources(report, new Map()), look),
    renderDeliveries(listDeliveryWords(report), look),
    renderCost(head, report, look),
  ];
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map(joinLines).join('\n\n')}\n`;
}

export function renderSection(section: ReportSection | null, look: TerminalLook): readonly string[] {
  return section === null ? [] : renderBlocks(section.blocks, 0, look);
}

/** Renders the notes that a reader must see first. */
export function renderNotes(notes: readonly string[], look: TerminalLook): readonly string[] {
  return notes.flatMap((note) => fold(`! ${note}`, 0, look)).map(look.style.bad);
}

function renderCounts({ summary, plan, expires }: PlanHead, { style, width }: TerminalLook): readonly string[] {
  const total = sumOf(summary.counts);
  const waits = describeWaits(summary);
  const held = waits.map((part) => style.warn(`, ${part}`)).join('');
  const what = total === 0 ? renderNothing(summary, style) : plural(total, 'change');
  const until = total === 0 ? '' : `good until ${formatMinute(expires)}`;
  const fits = [`Plan ${plan}: ${total} changes`, ...waits, until].join(', ').length <= width;
  const waiting = wrapItems(waits, ', ', width - 2).map((line) => style.warn(`  ${line}`));
  return [
    `${style.bold('Plan')} ${plan}: ${what}${fits ? held : ''}${fits && until !== '' ? style.dim(`, ${until}`) : ''}`,
    ...(fits ? [] : [...waiting, ...(until === '' ? [] : [style.dim(`  ${until}`)])]),
    ...listCounts(summary.counts, width, (action, line) => style[lookOf(action).tone](line)),
  ];
}

/**
 * The waiting changes of other objects, if one object was requested: `Other objects: 3 wait for an approval, 2 records
 * held: …`
 */
export function renderOthers(others: OthersWaiting | null, look: TerminalLook): readonly string[] {
  const waits = others === null ? [] : describeWaits({ waiting: others.waiting, heldCounts: others });
  return waits.length === 0 ? [] : fold(`Other objects: ${waits.join(', ')}; \`talent-sync plan\` shows them`, 0, look);
}

/** `284 wait for an approval, 5 records held` */
function describeWaits({ waiting, heldCounts }: Pick<PlanSummary, 'waiting' | 'heldCounts'>): readonly string[] {
  const approval = waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? 'waits' : 'wait'} for an approval`];
  return [...approval, ...describeHeldCounts(heldCounts)];
}

function sumOf(counts: Counts): number {
  return Object.values(counts)
    .flatMap((actions) => Object.values(actions))
    .reduce((a, b) => a + b, 0);
}

function renderNothing({ evidence, held, guards, declined, toSources }: PlanSummary, style: Style): string {
  const calm = describeCalm(evidence, held + guards.length + declined.length, Object.keys(toSources).length);
  return calm === EQUAL ? style.good(calm) : calm;
}

/**
 * Renders one line per action, the most dangerous first. The lines also explain the signs used below: `  + create      40
 * customers, 1 user`.
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

function renderCost({ summary, file }: PlanHead, report: Report, look: TerminalLook): readonly string[] {
  const { cost } = summary;
  const told = Object.keys(cost.sources ?? {}).flatMap((source) => {
    const calls = describeCalls(cost, source);
    return calls === null ? [] : [clip(`Writing back to ${source} takes ${calls}`, look.width)];
  });
  return [...renderSection(listCost(report, new Map()), look), ...told, look.style.dim(`Saved as ${file}`)];
}

/** Reports and documents of the service: those that the next run delivers, or their results. */
export function renderDeliveries(words: readonly DeliveryWords[], look: TerminalLook): readonly string[] {
  return words.flatMap(({ title: name, slot, state, about }) => {
    const title = `${name}${slot === null ? '' : ` of ${formatMinute(slot)}`}`;
    if (state === 'failed') return [look.style.bad(`x ${title} not delivered`), ...fold(about, 4, look)];
    if (state === 'left') return [look.style.bold(`! ${title} left: ${about}`)];
    return [`  ${title}`, ...fold(about, 4, look, 1_000)];
  });
}
