import { inBatches } from '../../base/clock.js';
import { sortNaturally } from '../../model/compare-texts.js';
import type { Hold } from '../../model/desired.js';
import type { Failure } from '../../model/failure.js';
import { generalise } from '../../model/hold-cause.js';
import type { WrittenSource } from '../../model/write-back.js';
import type { OthersWaiting } from '../../planning/derived-run.js';
import type { PlanSummary } from '../../planning/saved/plan-file.js';
import { describeDelivered } from '../sections/deliveries.js';
import { listGuards } from '../sections/guards.js';
import { countByWhatWaits, describeHeldCounts, groupHolds } from '../sections/held.js';
import { nameEntities, nameOne } from '../sections/kinds.js';
import { describeCalm, listReadNotes } from '../sections/reads.js';
import type { RunResult } from '../sections/run-report.js';
import { formatSeconds, plural } from '../sections/words.js';
import {
  chooseWidth,
  clip,
  createStyle,
  joinLines,
  listFirst,
  type TerminalLook,
  wrapItems,
} from '../writers/style.js';
import { listCounts, renderDeliveries, renderNotes, renderOthers, renderSection } from '../writers/terminal.js';
import { fold } from '../writers/terminal-blocks.js';
import { renderHolds } from '../writers/terminal-holds.js';

export interface RunText extends RunResult, Pick<PlanSummary, 'counts' | 'cost' | 'evidence'> {
  readonly run: string;
  /** Counts of the changes that were carried out. */
  readonly doneCounts: PlanSummary['counts'];
  readonly done: number;
  /** Write-backs per source; absent if there were none. */
  readonly bySource?: readonly WrittenSource[];
  readonly near_misses?: number;
  /** The plan to name in an approval, if the run was for one object. */
  readonly plan_of_one?: string;
  /** Number of changes to the service that need approval. */
  readonly waiting?: number;
  readonly conflicts?: readonly Hold[];
  readonly declined?: PlanSummary['declined'];
  /** Set if the run was for one object. */
  readonly others: OthersWaiting | null;
  readonly audit: { readonly entries: number; readonly head: string | null };
  readonly color: boolean;
  /** Columns of the terminal; null if there is none. */
  readonly width: number | null;
}

const SHOWN = 12;
/** Maximum number of holds with a unique cause to show. */
const SHOWN_HOLDS = 3;

/** The result of a run for a terminal. Completed changes come first, then everything that needs a decision. */
export async function renderRun(run: RunText): Promise<string> {
  const style = createStyle(run.color);
  const look: TerminalLook = { style, width: chooseWidth(run.width) };
  const { audit, stopped, left } = run;
  const lines = [
    ...listDone(run, look),
    ...(run.bySource ?? []).flatMap((written) => renderWritten(written, look)),
    ...renderNear(run.near_misses ?? 0, look),
    ...renderNotes(listReadNotes(run.evidence, 'read'), look),
    ...renderSection(listGuards(run.guards, { plan: run.plan_of_one ?? null, afterwards: 'run again' }), look),
    ...(stopped === null
      ? []
      : fold(`! stopped: ${stopped}; ${plural(left, 'change')} left for the next run`, 0, look)
    ).map(style.bad),
    ...listFailed(run.failed, look),
    ...renderDeliveries((run.deliveries ?? []).map(describeDelivered), look),
    ...renderHolds(await groupHolds(inBatches([...run.held, ...(run.conflicts ?? [])]), SHOWN_HOLDS), look),
    ...renderOthers(run.others, look),
    ...listLeftOut(run, look),
    style.dim(`  audit: ${plural(audit.entries, 'entry', 'entries')}, head ${audit.head ?? 'none'}`),
  ];
  return `${joinLines(lines)}\n`;
}

function listDone(run: RunText, { style, width }: TerminalLook): readonly string[] {
  const { done, failed, held, calls, cost, waiting = 0 } = run;
  const counts = countByWhatWaits([...held, ...(run.conflicts ?? [])]);
  const waits = [held, run.conflicts ?? [], run.guards, run.declined ?? [], run.left_out ?? []].flat().length;
  const isCalm = Object.keys(run.counts).length === 0;
  const ended = [
    style.good(`${plural(done, 'change')} done`),
    ...(failed.length > 0 ? [style.bad(failedText(failed))] : []),
    ...(waiting > 0 ? [style.warn(`${waiting} ${waiting === 1 ? 'waits' : 'wait'} for an approval`)] : []),
    ...describeHeldCounts(counts).map(style.warn),
  ];
  return [
    ...wrapItems([`${style.bold('Run')} ${run.run}: ${ended[0]}`, ...ended.slice(1)], ', ', width).map(
      (line, i) => `${i === 0 ? '' : '  '}${line}`,
    ),
    ...(isCalm
      ? [`  ${describeCalm(run.evidence, waits, run.bySource?.length ?? 0)}`]
      : listCounts(run.doneCounts, width)),
    `  ${plural(calls.writes, 'write')} (forecast ${cost.writes}) and ${plural(calls.reads, 'read')} in ${formatSeconds(run.seconds)}`,
  ];
}

/** `4 failed`, `4 failed (3 in part)` */
function failedText(failed: readonly Failure[]): string {
  const inPart = failed.filter(({ in_part: isPart }) => isPart === true).length;
  return `${failed.length} failed${inPart === 0 ? '' : ` (${inPart} in part)`}`;
}

/** Lists each cause once, with its records. */
function listFailed(failed: readonly Failure[], { style }: TerminalLook): readonly string[] {
  const causes = new Map<string, Failure[]>();
  for (const one of sortNaturally(failed, ({ key }) => key)) {
    const name = JSON.stringify([one.entity, one.code, generalise(one.message), one.remedy]);
    const others = causes.get(name);
    if (others === undefined) causes.set(name, [one]);
    else others.push(one);
  }
  return listFirst(
    [...causes.values()],
    SHOWN,
    (of) =>
      of
        .slice(0, 1)
        .flatMap(({ entity, key, place, code, message, remedy }) => [
          style.bad(
            of.length === 1
              ? `x ${entity} ${key} (${place})`
              : `x ${plural(of.length, nameOne(entity), nameEntities(entity))}: ${nameSome(of)}`,
          ),
          `    ${code}: ${clip(of.every((one) => one.message === message) ? message : generalise(message), 300)}`,
          style.dim(`    ${remedy}`),
        ]),
    (rest) => style.dim(`  … and ${plural(rest, 'more cause')}; --json shows all`),
  );
}

function nameSome(of: readonly Failure[]): string {
  const shown = of.slice(0, KEYS_SHOWN).map(({ key }) => key);
  const rest = of.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? `, … and ${rest} more` : ''}`;
}

const KEYS_SHOWN = 5;

function listLeftOut({ left_out: all = [], guards }: RunText, { style }: TerminalLook): readonly string[] {
  // Changes held by a guard are already counted above.
  const counted = new Set(guards.map(({ guard }) => `waits for ${guard}`));
  return listFirst(
    all.filter(({ because }) => !counted.has(because)),
    SHOWN,
    ({ label, because }) => [`- left out of the plan: ${label} (${because})`],
    (rest) => style.dim(`  … and ${rest} more left out`),
  );
}

/** `wrote back to hr: 3 records (talent-r2026….csv), 1 refused`, and the records that were not accepted. */
function renderWritten(written: WrittenSource, { style, width }: TerminalLook): readonly string[] {
  const { source, done, refused, lost, left, at, examples } = written;
  const others: readonly (readonly [number, string])[] = [
    [refused, 'refused'],
    [lost, 'lost'],
    [left, 'left for the next run'],
  ];
  const bad = others.flatMap(([count, how]) => (count > 0 ? [`, ${count} ${how}`] : [])).join('');
  const rest = refused + lost + left - examples.length;
  const named = [...examples, ...(rest > 0 && examples.length > 0 ? [`… and ${rest} more`] : [])];
  const line = `  wrote back to ${source}: ${plural(done, 'record')}`;
  const by = at === null ? '' : `(${at})`;
  const fits = line.length + 1 + by.length + bad.length <= width;
  const end = bad === '' ? '' : style.warn(bad);
  return [
    `${line}${fits && by !== '' ? ` ${style.dim(by)}` : ''}${end}`,
    ...(fits ? [] : [`    ${style.dim(clip(by, width - 4))}`]),
    ...wrapItems(named, ', ', width - 4).map((text) => style.dim(`    ${clip(text, width - 4)}`)),
  ];
}

/** Written values that a source shows in another form. */
function renderNear(near: number, look: TerminalLook): readonly string[] {
  if (near === 0) return [];
  const text = `${plural(near, 'near miss', 'near misses')}: a source shows the value in another format, which counts as equal`;
  return fold(text, 2, look).map(look.style.dim);
}
