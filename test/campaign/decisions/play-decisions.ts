import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandContext } from '../../../src/cli/context.js';
import { runSync } from '../../../src/cli/run-apply.js';
import { runPlan } from '../../../src/cli/run-plan.js';
import { loadConfig } from '../../../src/config/load.js';
import type { PlannedChange } from '../../../src/model/plan.js';
import { type DecisionContext, withStores } from '../../../src/operations/with-stores.js';
import type { AuditEntry } from '../../../src/store/audit/audit-entry.js';
import { readEntries } from '../../../src/store/audit/audit-log.js';
import type { ErrorDocument, PlanDocument, RunDocument } from '../../scenarios/documents.js';
import { openStory, type Story } from '../../scenarios/kit.js';
import { openContext } from '../months/perform-runs.js';
import { decide, type SeenPlan } from './decide.js';
import { createHr, type HrFile, listStaff } from './hr.js';
import { type Done, forget, judgeRun, type Ledger, noteFile, openLedger } from './ledger.js';
import type { Month, Somebody, Turn } from './month.js';

/** Counts of events in months, so that a test can show that they were not idle. */
export type Tally = Record<
  | 'runs'
  | 'kills'
  | 'restores'
  | 'held'
  | 'approvals'
  | 'declines'
  | 'approved'
  | 'deactivated'
  | 'relinked'
  | 'refused',
  number
>;

export function openTally(): Tally {
  return {
    ...{ runs: 0, kills: 0, restores: 0, held: 0, approvals: 0, declines: 0 },
    ...{ approved: 0, deactivated: 0, relinked: 0, refused: 0 },
  };
}

/** Plays a month, and checks the promises of the issue after each run. @throws Broken */
export async function playDecisions(month: Month, tally: Tally): Promise<void> {
  const staff = listStaff(month.people);
  const story = await openCompany(month, staff);
  const { context, contextOf } = openPeople(story);
  const hr = createHr(staff);
  const plans: SeenPlan[] = [];
  let ledger = openLedger();
  let [file, saved, lastSeq]: [HrFile | null, { name: string; ledger: Ledger; lastSeq: number } | null, number] = [
    null,
    null,
    0,
  ];

  function readEnds(): Promise<readonly AuditEntry[]> {
    return withStores(context, ({ audit }) => {
      const all = [...readEntries(audit)];
      const fresh = all.filter(({ seq }) => seq > lastSeq);
      lastSeq = all.at(-1)?.seq ?? 0;
      return fresh;
    });
  }

  async function run(kill: Turn['kill']): Promise<void> {
    if (file !== null) noteFile(ledger, file.rows);
    const [before, fromMs] = [readAccounts(story), story.clock.now()];
    const killer = kill === null ? null : armKill(story, kill);
    const { json } = await runSync(context, { config: story.configFile, json: true });
    const isKilled = killer?.fall() === true;
    const told = json as RunDocument & { readonly error?: ErrorDocument };
    const untilMs = story.clock.now();
    const plan = told.plan === undefined ? null : readChanges(story, told.plan);
    const entries = isKilled ? [] : await readEnds();
    const done = listDone(before, readAccounts(story), { fromMs, untilMs });
    const { guards = [], errors = [], failed = [] } = told;
    judgeRun(ledger, month, {
      ...{ run: told.run, fromMs, untilMs, done, plan, entries, isKilled },
      isComplete: file?.isCut !== true && errors.length === 0 && !guards.some(isOfSource),
      hasGuards: guards.length > 0,
      failed: new Set(failed.map(({ change }) => change)),
    });
    if (plan !== null) plans.push({ plan: told.plan, changes: plan, guards: guards.map(({ guard }) => guard) });
    tally.runs += 1;
    tally.kills += isKilled ? 1 : 0;
    tally.held += plan?.filter(({ withheld }) => withheld?.by === 'guard').length ?? 0;
    tally.approved += entries.filter(({ approval }) => approval !== null).length;
    tally.deactivated += done.filter(({ action }) => action === 'deactivate').length;
    tally.relinked += done.filter(({ action }) => action === 'relink').length;
  }

  async function look(): Promise<void> {
    const { json } = await runPlan(context, { config: story.configFile, json: true });
    const { plan, guards } = json as PlanDocument;
    plans.push({ plan, changes: readChanges(story, plan), guards: guards.map(({ guard }) => guard) });
  }

  async function turnState(state: Turn['state']): Promise<void> {
    if (state === 'saved') saved = { name: (await story.backup()).json.file, ledger: structuredClone(ledger), lastSeq };
    if (state !== 'restored' || saved === null) return;
    const { code, stderr } = await story.restore(saved.name);
    if (code !== 0) throw new Error(stderr);
    ledger = { ...structuredClone(saved.ledger), pending: [], restored: { approval: null }, wasRestored: true };
    tally.restores += 1;
    // A run killed before the backup may have done something that nobody has looked at since.
    lastSeq = saved.lastSeq;
    for (const { change } of await readEnds()) forget(ledger, change);
  }

  for (const { waitMs, moves, delivery, isPlanned, decisions, kill, state } of [FIRST, ...month.turns]) {
    story.clock.advance(waitMs);
    for (const move of moves) hr.move(move);
    const fresh = hr.deliver(delivery);
    if (fresh !== null) story.deliverText(fresh.text);
    file = fresh ?? file;
    await turnState(state);
    if (isPlanned) await look();
    for (const decision of decisions) {
      const isTaken = await decide({ ledger, month, plans, contextOf }, decision);
      if (!isTaken) tally.refused += 1;
      else if (decision.kind === 'approve') tally.approvals += 1;
      else if (decision.kind === 'decline') tally.declines += 1;
    }
    await run(kill);
  }
}

/** The first load, without any events. */
const FIRST: Turn = {
  ...{ waitMs: 0, moves: [], delivery: { kind: 'good', at: 0 }, isPlanned: false },
  ...{ decisions: [], kill: null, state: 'kept' },
};

const isOfSource = ({ guard }: { readonly guard: string }): boolean => guard.startsWith('sources.');

async function openCompany({ fourEyes, limits }: Month, staff: ReturnType<typeof listStaff>): Promise<Story> {
  const story = await openStory({
    users: staff.map(({ id = '', first, last, email = '', country = '', office = '', title = '' }) => {
      return { external_unique_id: id, email, name: `${first} ${last}`, country, office, title: { en: title } };
    }),
  });
  const { deactivate, relink, title } = limits;
  story.configure({
    // One call at a time, so that a kill has the same effect each time.
    service: { rate_limit: { concurrency: 1 } },
    approvals: { four_eyes: fourEyes },
    sources: { hr: { shrink: { percent: 20 } } },
    users: { leaver: { after_missing_reads: 2 } },
    guards: {
      users: {
        ...{ create: 'off', update: 'off', reactivate: 'off' },
        ...{ deactivate: { max: deactivate }, relink: { max: relink }, fields: { title: { max: title } } },
      },
    },
  });
  return story;
}

function openPeople(story: Story): {
  readonly context: CommandContext;
  readonly contextOf: (by: Somebody) => DecisionContext;
} {
  const config = loadConfig(story.configFile, story.env, undefined, 'when used');
  const { clock } = story;
  return {
    context: openContext(story, config),
    contextOf: (by) => ({ config, clock, by, via: by.includes('@') ? 'person' : 'machine' }),
  };
}

interface Account {
  readonly key: string;
  readonly title: string;
  readonly isActive: boolean;
}

/** No account gets another address in these months. */
function readAccounts(story: Story): ReadonlyMap<string, Account> {
  return new Map(
    story.users().map(({ email, external_unique_id: key, title, deactivated }) => {
      return [email, { key: key ?? '', title: title.en ?? '', isActive: !deactivated }];
    }),
  );
}

function listDone(
  before: ReadonlyMap<string, Account>,
  after: ReadonlyMap<string, Account>,
  span: Pick<Done, 'fromMs' | 'untilMs'>,
): readonly Done[] {
  return [...after].flatMap(([email, { key, title, isActive }]) => {
    const known = before.get(email);
    const of = (action: Done['action'], keys: readonly string[]): Done => ({ email, action, keys, title, ...span });
    if (known === undefined) return [of('create', [key])];
    const keys = known.key === key ? [key] : [known.key, key];
    return [
      ...(known.key === key ? [] : [of('relink', keys)]),
      ...(known.isActive === isActive ? [] : [of(isActive ? 'reactivate' : 'deactivate', keys)]),
      ...(known.title === title ? [] : [of('title', keys)]),
    ];
  });
}

function readChanges({ folder }: Story, plan: string): readonly PlannedChange[] {
  const text = readFileSync(join(folder, 'var', 'plans', `${plan}.json`), 'utf8');
  return (JSON.parse(text) as { readonly toService: readonly PlannedChange[] }).toService;
}

/**
 * From a certain write on, the service answers nothing more. `fall` restores the state folder of that moment, as a kill
 * would
 * have left it. @returns whether the run came that far
 */
function armKill(
  { folder, sandbox }: Story,
  { write, isAfter }: NonNullable<Turn['kill']>,
): { readonly fall: () => boolean } {
  const [state, copy] = [join(folder, 'var'), join(folder, 'var-at-kill')];
  const { faults } = sandbox;
  const take = faults.take;
  let writes = 0;
  faults.take = (method, path) => {
    if (method !== 'GET' && !path.startsWith('/api/v4/')) writes += 1;
    if (writes < write) return undefined;
    const isFirst = !existsSync(copy);
    if (isFirst) cpSync(state, copy, { recursive: true });
    const kind = isFirst && isAfter ? 'reset_after' : 'reset_before';
    return { kind, path: '/', times: 1, skip: 0, fields: [] };
  };
  return {
    fall() {
      faults.take = take;
      if (!existsSync(copy)) return false;
      rmSync(state, { recursive: true });
      renameSync(copy, state);
      return true;
    },
  };
}
