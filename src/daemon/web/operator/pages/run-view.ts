import { isoNow } from '../../../../base/clock.js';
import { type ProofOfPerson, proofOf } from '../../../../config/access/identity.js';
import { recordKeyOf } from '../../../../model/plan.js';
import {
  compareSources,
  readWaitedBefore,
  type SourceCounts,
  type WaitedBefore,
} from '../../../../operations/compare-runs.js';
import type { OpenedReport } from '../../../../operations/open-report.js';
import { findStanding, presentReport, type Standing } from '../../../../operations/present-report.js';
import { veilReport } from '../../../../operations/veil-report.js';
import type { ReportChange } from '../../../../report/sections/report.js';
import { type ChangeFilter, type SelectedChanges, selectChanges } from '../../../../report/sections/select-changes.js';
import { guardsOf, isHeldForPerson, type ReportTally, wasHeldForPerson } from '../../../../report/sections/tally.js';
import type { Stores } from '../../../../store/open-stores.js';
import type { StoredDecline } from '../../../../store/state/decline-store.js';
import type { Approval } from '../../../../store/state/history-store.js';
import { configOf, mayHere } from '../deciding.js';
import { type Reading, readingFor } from '../reading.js';
import type { WebRequest } from '../route.js';
import { objectPath } from './object-words.js';

export interface RunView extends OpenedReport {
  readonly reading: Reading;
  readonly selected: SelectedChanges;
  readonly filter: ChangeFilter;
  readonly sources: readonly SourceCounts[];
  readonly before: WaitedBefore | null;
  readonly newcomers: Newcomers;
  /** Approvals by change id, or by guard. */
  readonly approvals: ReadonlyMap<string, Approval>;
  /** Changes approved by the first of two people, by change id. */
  readonly halfApproved: ReadonlyMap<string, Approval>;
  /** Valid declines by change id. */
  readonly declines: ReadonlyMap<string, StoredDecline>;
  readonly offices: ReadonlyMap<string, string>;
  /** Name of the person viewing the page, as in the audit log. */
  readonly who: string;
  /** True if the person may approve pending changes. */
  readonly mayApprove: boolean;
  readonly via: ProofOfPerson;
  readonly fourEyes: boolean;
  readonly standing: Standing;
  /** Number of undecided changes per guard. */
  readonly open: ReadonlyMap<string, number>;
  /** Number of undecided changes per guard that an approval of the guard releases. */
  readonly together: ReadonlyMap<string, number>;
  /** Number of approved and declined changes per guard. */
  readonly decided: ReadonlyMap<string, DecidedChanges>;
  /** Ids of approvals that stay valid at least until the next writing run ends. */
  readonly untilRun: ReadonlySet<string>;
  /** True if the plan is older than `plan.expires`, and can no longer be decided. */
  readonly isExpired: boolean;
  /** Path of the page of the change's object; null if it has none, and for readers who see pseudonyms. */
  readonly pathOf: (change: ReportChange) => string | null;
}

/** Numbers of decided changes by their decision: `approved`, `declined`. */
export type DecidedChanges = ReadonlyMap<string, number>;

/** Numbers of changes held by the plan, and of those that were not pending in the previous run. */
interface Newcomers {
  waiting: number;
  fresh: number;
  /** Labels of the first new changes. */
  readonly labels: string[];
}

interface CountedPlan {
  readonly tally: ReportTally;
  readonly before: WaitedBefore | null;
  readonly newcomers: Newcomers;
  readonly open: ReadonlyMap<string, number>;
  readonly together: ReadonlyMap<string, number>;
  readonly decided: ReadonlyMap<string, DecidedChanges>;
}

/** Entities with linked records, which have a page of their own. */
const HAVE_PAGES: ReadonlySet<string> = new Set(['users', 'customers', 'projects', 'proposals']);
const SHOWN_HOLDS = 200;
/** Number of new names shown. The table marks all of them. */
const NEW_SHOWN = 12;

/** Recently viewed plans by pseudonym key, plan file and the decisions at that time. */
const COUNTED = new Map<string, CountedPlan>();
const MOST_COUNTED = 20;

function keepCounted(name: string, counted: CountedPlan): void {
  COUNTED.delete(name);
  COUNTED.set(name, counted);
  const [oldest] = COUNTED.keys();
  if (COUNTED.size > MOST_COUNTED && oldest !== undefined) COUNTED.delete(oldest);
}

function countOpen(open: Map<string, number>, together: Map<string, number>, change: ReportChange): void {
  if (!isHeldForPerson(change)) return;
  const guards = guardsOf(change);
  for (const guard of guards) open.set(guard, (open.get(guard) ?? 0) + 1);
  const [guard = '', ...others] = guards;
  if (others.length === 0 && !change.alone) together.set(guard, (together.get(guard) ?? 0) + 1);
}

function countDecided(decided: Map<string, Map<string, number>>, change: ReportChange): void {
  const { heldFirst } = change;
  if (heldFirst === undefined || heldFirst.fate === 'held') return;
  for (const guard of guardsOf(change)) {
    const of = decided.get(guard) ?? new Map<string, number>();
    decided.set(guard, of.set(heldFirst.fate, (of.get(heldFirst.fate) ?? 0) + 1));
  }
}

function countNewcomers(newcomers: Newcomers, before: WaitedBefore | null, change: ReportChange): void {
  if (before === null || !wasHeldForPerson(change)) return;
  newcomers.waiting += 1;
  if (before.has(change)) return;
  newcomers.fresh += 1;
  if (newcomers.labels.length < NEW_SHOWN) newcomers.labels.push(change.label);
}

export async function readView(request: WebRequest, stores: Stores, opened: OpenedReport): Promise<RunView> {
  const { query, parts } = request;
  const [config, now] = [configOf(request), isoNow(parts.clock)];
  const reading = readingFor(request, stores.audit);
  const [approvals, halfApproved] = [stores.history.approvalsAt(now), stores.history.halfApprovalsAt(now)];
  const standing = findStanding(config, stores, opened.plan);
  const present = presentReport(config, stores, { ...opened, standing, now });
  const report = reading.key === null ? present : veilReport(reading.key, present);
  const filter = readFilter(query);
  const { plan, run } = opened;
  // A sealed plan never changes, but its decisions do. A run may still be under way, and entries may be erased.
  const decided = `${standing.newest} ${stores.audit.last()?.seq ?? 0} ${approvals.size}`;
  const kept = run === null && plan !== null ? `${reading.key ?? ''} ${plan.file} ${decided}` : null;
  const known = COUNTED.get(kept ?? '');
  const before = known === undefined ? await readBefore(request, stores, opened) : known.before;
  const newcomers = known?.newcomers ?? { waiting: 0, fresh: 0, labels: [] };
  const [counted, alike] = [new Map<string, number>(), new Map<string, number>()];
  const countedDecided = new Map<string, Map<string, number>>();
  const selected = await selectChanges(report, filter, {
    page: readPage(query),
    shownHolds: SHOWN_HOLDS,
    known: known?.tally,
    watch(change) {
      countNewcomers(newcomers, before, change);
      countOpen(counted, alike, change);
      countDecided(countedDecided, change);
    },
  });
  const sums = known ?? { open: counted, together: alike, decided: countedDecided };
  const { open, together } = sums;
  if (kept !== null)
    keepCounted(kept, { tally: selected.tally, before, newcomers, open, together, decided: sums.decided });
  return {
    ...opened,
    report,
    reading,
    selected,
    filter,
    sources: plan === null ? [] : compareSources(stores, plan),
    before,
    newcomers,
    approvals,
    halfApproved,
    declines: new Map(stores.declines.inForce(now).map((one) => [one.changeId, one])),
    offices: listOffices(stores, selected.rows),
    ...readRights(request, standing),
    standing,
    open,
    together,
    decided: sums.decided,
    untilRun: stores.history.keptUntilRun(),
    isExpired: plan !== null && plan.meta.expires <= now,
    // A key may be an address, which must not appear in links for readers who see pseudonyms.
    pathOf: ({ entity, key: of }) =>
      reading.key === null && HAVE_PAGES.has(entity) ? objectPath(request, entity, recordKeyOf(of)) : null,
  };
}

/** Permissions of the person viewing the page, and the name under which that person approves. */
function readRights(request: WebRequest, { kind }: Standing) {
  const { person } = request;
  const via = person === null ? 'nobody' : proofOf(person);
  const { fourEyes } = configOf(request).approvals;
  const isApprover = mayHere(request, 'approver');
  const mayApprove = isApprover && kind !== 'edited' && !(fourEyes && via === 'nobody');
  return { who: person?.who ?? '', via, fourEyes, mayApprove };
}

/** Null if nothing was held, or if no earlier plan is kept. */
async function readBefore(
  request: WebRequest,
  stores: Stores,
  { report, plan }: OpenedReport,
): Promise<WaitedBefore | null> {
  return plan === null || report.guards.length === 0 ? null : readWaitedBefore(configOf(request), stores, plan);
}

function readPage(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? 1);
  return Number.isInteger(page) ? page : 1;
}

/** Maximum length of a search text. Each of its words is searched for in every change. */
const LONGEST_WISH = 200;

function readFilter(query: URLSearchParams): ChangeFilter {
  const read = (name: string): string => (query.get(name) ?? '').trim().slice(0, LONGEST_WISH);
  return {
    q: read('q'),
    entity: read('entity'),
    action: read('action'),
    state: read('state'),
    field: read('field'),
  };
}

/** User id → name of the person's office, as last read from the service. */
function listOffices({ mirror }: Stores, rows: readonly ReportChange[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const found = new Map<string, string>();
  for (const { entity, target } of rows) {
    if (entity !== 'users' || target === null) continue;
    const id = mirror.get('users', target)?.values.office_id;
    if (typeof id !== 'string') continue;
    const name = names.get(id) ?? mirror.get('offices', id)?.label ?? '';
    names.set(id, name);
    if (name !== '') found.set(target, name);
  }
  return found;
}
