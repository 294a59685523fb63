import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NamedHold } from '../../src/model/desired.js';
import { YEARLY } from '../daemon/daemon-process.js';
import { ACCOUNT, merge, type Yaml } from '../scenarios/company.js';
import { forgetMirror } from '../scenarios/cvs.js';
import type { PlanDocument, RunDocument } from '../scenarios/documents.js';
import { openStory, type Story } from '../scenarios/kit.js';
import { approveAll } from '../scenarios/operator.js';
import { describePlan, planFromScratch } from '../scenarios/plan-from-scratch.js';
import { RICH } from '../scenarios/reference-projects.js';
import { type Acting, doAct, unpinAll } from './acts.js';
import { createAuditCheck } from './check-audit.js';
import { ELDER, INDUSTRIES } from './customers.js';
import { saysKey } from './door.js';
import {
  countWrites,
  describeRun,
  expectCalm,
  expectFewest,
  expectSafe,
  expectSame,
  listDifferences,
} from './expect.js';
import { type Faulty, runFaulty } from './faulty-runs.js';
import {
  applyEdits,
  type Hand,
  type History,
  PRELUDES,
  type Round,
  type Settings,
  startTables,
  type Tables,
} from './history.js';
import { expectHeld, listWanted, quietCode } from './holds.js';
import { isProtected } from './in-use.js';
import { createMailCheck, describeMails } from './mails.js';
import { approveOlder, movesUse, rememberDeliveries } from './older-content.js';
import { collect, type Holding, type Part, type PartReference } from './part.js';
import { PARTS } from './parts.js';
import { nameAccounts, PEOPLE_TAGS } from './people.js';
import { expectPrelude } from './prelude.js';
import { listGone, withoutPeople } from './purges.js';
import { listRenumbered, passingIn, type Renumbered, renameHolding } from './renumber.js';
import { expectReplay, type Mirrored, readMirror } from './replay.js';
import { expectHidden, expectNoneKept, expectNoneSaid } from './secrets.js';
import { bySystem, LITTLE, measure, type Sizes, type Taken } from './size.js';
import { openSystems, placeSystems } from './systems.js';
import { knownOf } from './told.js';
import { type Broken, Violation } from './violation.js';
import { createWriteBackCheck, describeWriteBack } from './write-back.js';

/** The outcome of a history. */
export interface Played {
  /** null if no rule broke. */
  readonly broken: Broken | null;
  readonly tally: Tally;
  /** The calls of each round's first run, to place faults by. */
  readonly sizes: readonly Sizes[];
}

/** Counts by name: `runs`, `calls`, `fault 500 before`. */
export type Tally = Map<string, number>;

/** A rejected change pauses for a while. */
const REST_MS = 48 * 3_600_000;
const MOST_RUNS = 4;

function count(tally: Tally, name: string, by = 1): void {
  tally.set(name, (tally.get(name) ?? 0) + by);
}

/** Plays the history with the worker. `sizes` of the same history without faults place its faults. */
export async function play(history: History, sizes: readonly Sizes[] | null): Promise<Played> {
  const teller = await openTeller(history);
  const found: Sizes[] = [];
  let broken: Broken | null = null;
  try {
    for (const [index, round] of history.rounds.entries()) {
      try {
        found.push(await teller.tell(round, sizes?.[index] ?? null));
      } catch (error) {
        if (error instanceof Violation) throw new Violation(error.rule, `round ${index + 1}: ${error.message}`);
        throw error;
      }
    }
  } catch (error) {
    if (error instanceof Violation) broken = { rule: error.rule, text: error.message };
    else broken = { rule: 'crash', text: String((error as Error).stack ?? error) };
  }
  return { broken, tally: teller.tally, sizes: found };
}

interface Teller {
  readonly tally: Tally;
  tell(round: Round, size: Sizes | null): Promise<Sizes>;
}

async function openTeller({ settings: first, accounts }: History): Promise<Teller> {
  let settings = first;
  const story = await openStory({
    ...RICH,
    industries: INDUSTRIES,
    customers: [ELDER],
    users: accounts.map(({ place, title, ...account }) => {
      const [country = '', office = ''] = place.split('/');
      return { ...account, country, office, title: title === '' ? {} : { sv: title } };
    }),
    account: { ...ACCOUNT.account, after_id: settings.afterId, user_tags_on_cvs: settings.tagsOnCvs },
    tag_categories: [...RICH.tag_categories, ...PEOPLE_TAGS],
  });
  const doors = await openSystems(story, settings);
  const base: Yaml = {
    service: { timeout: '1s', rate_limit: { concurrency: settings.concurrency } },
    // Only runs that a daemon owes are due.
    schedule: YEARLY,
    users: { leaver: { after_missing_reads: settings.afterMissingReads } },
  };
  const usual = (of: Settings): { readonly [key: string]: Yaml } =>
    [...placeSystems(doors), ...PARTS.map((part) => part.config(of)), describeWriteBack(of), describeMails(of)].reduce(
      (all, piece) => merge(all, piece) as { readonly [key: string]: Yaml },
      { ...base, policy: 'sync', drift: 'correct' },
    );
  story.configure(usual(settings));
  const tally: Tally = new Map([['accounts before the first run', accounts.length]]);
  const audit = createAuditCheck(story);
  const writeBack = createWriteBackCheck(story);
  const mails = createMailCheck(story);
  const references = PARTS.map((part): readonly [Part, PartReference] => [part, part.createReference()]);
  const heldNow = (): readonly string[] => listWanted(references.map(([, reference]) => reference));
  let tables: Tables = startTables();
  let shown: Partial<Tables> = {};
  const deliveries = rememberDeliveries();
  const known = new Set<string>();
  let renumbered: Renumbered = new Map();
  /** The mirror after the last round; null if others have changed the service since. */
  let mirrored: Mirrored | null = null;
  /**
   * True if others have changed the service since it was read completely: neither the feed nor a list shows all of
   * that.
   */
  let isStale = true;
  let holding: Holding = look();

  /** The contents of the account, by the names of the reference. */
  function look(): Holding {
    const state = story.sandbox.state();
    return renameHolding(nameAccounts(collect(PARTS.flatMap((part) => part.describe(state))), tables), renumbered);
  }

  /** Lets the sources deliver. @returns the expected contents afterwards, and the sources that need an approval */
  function deliver(delivers: boolean): { readonly after: Holding; readonly waiting: ReadonlySet<string> } {
    let after = holding;
    const older: Part[] = [];
    for (const [name, { key }] of holding)
      if (name.startsWith('user ') && key !== null) known.add(name.slice('user '.length));
    for (const [part, reference] of references) {
      const moment = { settings, before: holding, after, known, delivers, shown, nowMs: story.clock.now() };
      const rows = tables[part.table];
      if (delivers) {
        shown = { ...shown, [part.table]: part.select?.(rows, moment) ?? rows };
        part.deliver(story, shown[part.table] ?? new Map());
        const all = [...(shown[part.table] ?? [])].map(([key, cells]) => [
          key,
          cells,
          knownOf(story, part.source, key),
        ]);
        if (deliveries.isOlder(part.table, JSON.stringify(all))) older.push(part);
      }
      after = reference.expect({ ...moment, rows: shown[part.table] ?? new Map() });
    }
    const rest = withoutPeople(holding, listGone(holding, after));
    const waiting = older.filter((part) => movesUse(part, rest, after)).map(({ source }) => source);
    return { after, waiting: new Set(waiting) };
  }

  /** Performs one run in this process. @returns its writes, from the door */
  async function run(flags: {
    readonly full: boolean;
  }): Promise<{ readonly code: number; readonly json: RunDocument }> {
    count(tally, 'runs');
    const { code, json, stderr } = await story.sync(flags);
    expectHidden(story, `${JSON.stringify(json)} ${stderr}`, 'what a run says');
    if (flags.full && code === quietCode(heldNow())) isStale = false;
    return { code, json };
  }

  /** The calls since the last look. */
  function take(): Taken {
    const taken = bySystem((name) => doors[name]?.take() ?? []);
    for (const [name, calls] of Object.entries(taken)) {
      const of = name === 'service' ? '' : `${name}: `;
      count(tally, `${of}calls`, calls.length);
      count(tally, `${of}writes`, calls.filter(({ isWrite }) => isWrite).length);
      mails.note(calls);
      for (const { fault } of calls) if (fault !== null) count(tally, `${of}fault ${fault}`);
    }
    return taken;
  }

  function expectNoWrites(): void {
    for (const [name, calls] of Object.entries(take()))
      if (calls.some(({ isWrite }) => isWrite)) throw new Violation('safety', `a plan has written to the ${name}`);
  }

  async function tell(round: Round, size: Sizes | null): Promise<Sizes> {
    const beganMs = story.clock.now();
    const backup = await backUp(round);
    story.clock.advance(round.restHours * 3_600_000);
    for (const hand of round.hands) {
      count(tally, `by hand: ${hand.of}`);
      holding = await byHand(story, hand, holding);
      mirrored = null;
      isStale = true;
    }
    // A round begins only when it is certain who is due in it.
    for (const [, { waitMs }] of references) story.clock.advance(waitMs?.(story.clock.now()) ?? 0);
    configure(round.settings);
    // A row under a new number is written to once it is linked, by the next run.
    const isToldLater = changeTables(round) > 0 && settings.writesBack;
    const { after, waiting } = deliver(round.delivers);
    const wanted = heldNow();
    const began = round.looksFirst || mirrored !== null ? (mirrored ?? (await readCopy())) : null;
    const seq = await audit.last();
    if (waiting.size > 0) {
      count(tally, 'older content', waiting.size);
      await approveOlder(story, waiting, wanted.length > 0 ? 4 : 3);
      expectNoWrites();
    }
    if (!isStale) await expectFromScratch();
    // Held deliveries are approved in their current form.
    if (waiting.size === 0) await playPrelude(round, after);
    const now = look();
    const gone = listGone(now, after);
    count(tally, 'people deleted for good', gone.size);
    count(tally, 'people protected', [...after.values()].filter((facts) => isProtected(facts, settings)).length);
    const fewest = countWrites(withoutPeople(now, gone, shown.deals), after);
    let turn = 0;
    const loseMirror = (): void => {
      if (round.losesMirrorAt.includes(turn)) forgetMirror(story);
      turn += 1;
    };
    let first: Sizes | null = null;
    for (const [index, fault] of round.faults.entries()) {
      loseMirror();
      story.clock.advance((fault.jumpHours ?? 0) * 3_600_000);
      await runFaulty({ fault, size: index === 0 ? (size ?? LITTLE) : LITTLE, full: round.full }, faulty);
      const taken = take();
      first ??= measure(taken);
      expectSafe(holding, after, look());
      await audit.check(taken.service, ...(fault.kind === 'disk full' ? [true] : []));
    }
    let isQuiet = false;
    let held: readonly NamedHold[] = [];
    for (let more = 0; more < MOST_RUNS && !isQuiet; more++) {
      if (round.faults.length > 0) story.clock.advance(REST_MS);
      loseMirror();
      const isFirst = first === null;
      // Neither the feed nor a list shows every edit by others.
      const ran = await run({ full: round.full || round.hands.length > 0 || round.faults.length > 0 });
      const taken = take();
      first ??= measure(taken);
      // An approved change may trip the next guard: an owner may be deleted once the object has another one.
      const isAsked = round.prelude === 'guards of users' && ran.json.guards.length > 0;
      if (isFirst && !isAsked) {
        expectCalm(ran, quietCode(wanted));
        expectSame(after, look());
        expectFewest(taken.service, fewest);
      }
      await audit.check(taken.service);
      const planned = await story.plan();
      held = planned.json.held;
      expectNoWrites();
      isQuiet = ran.code === quietCode(wanted) && isEmpty(planned.json);
      if (!isQuiet && round.prelude === 'guards of users') await approveAll(story);
      const isLate = isFirst && isToldLater && Object.keys(planned.json.counts).length === 0;
      if (round.faults.length === 0 && !isQuiet && !isLate && !isAsked) {
        throw new Violation(
          'quiet',
          `not quiet after one run without faults: ${ran.code} ${describeRun(planned.json)}`,
        );
      }
      if (more === MOST_RUNS - 1 && !isQuiet) {
        throw new Violation(
          'quiet',
          `not quiet after ${MOST_RUNS} runs: ${ran.code} ${describeRun(ran.json)} ${JSON.stringify(planned.json.counts)}`,
        );
      }
    }
    expectSame(after, look());
    await expectWrittenBack(after, { isCalm: round.faults.length === 0, isEnd: false });
    count(tally, 'e-mails', mails.check(holding, after, settings));
    await expectHeld(story, held, wanted);
    count(tally, 'records held and listed', wanted.length);
    if (round.faults.some(({ kind }) => saysKey(kind)))
      count(tally, 'texts searched for keys', await expectNoneSaid(story, 'E0'));
    count(tally, 'files searched for keys', expectNoneKept(story));
    take();
    await audit.settle();
    const entries = await audit.since(seq);
    if (began !== null) {
      count(tally, 'replays of the audit');
      expectReplay(began, entries, readMirror(story), { isNew: round.losesMirrorAt.length > 0 });
    }
    if (round.prelude !== null) story.configure(usual(settings));
    if (!isStale) await expectFromScratch();
    const lastRun = entries.findLast(({ result }) => result === 'done')?.run ?? null;
    await playActs(round, { after, lastRun, backup });
    mirrored = isStale ? null : readMirror(story);
    count(tally, 'simulated hours', Math.round((story.clock.now() - beganMs) / 3_600_000));
    holding = after;
    return first ?? LITTLE;
  }

  function configure(changed: Partial<Settings>): void {
    if (Object.keys(changed).length === 0) return;
    count(tally, 'edits of the configuration');
    settings = { ...settings, ...changed };
    story.configure(usual(settings));
  }

  /** @returns how many people have another number */
  function changeTables({ edits }: Round): number {
    const before = tables;
    tables = applyEdits(before, edits, passingIn(holding));
    const now = listRenumbered(before, tables, edits);
    count(tally, 'people under a new number', now.size);
    renumbered = new Map([...renumbered, ...now]);
    holding = renameHolding(nameAccounts(holding, tables), renumbered);
    return now.size;
  }

  /** The backup for a round that restores it; null if nothing has been written yet. */
  async function backUp({ acts }: Round): Promise<string | null> {
    if (!acts.some((act) => act.do === 'restore') || !existsSync(join(story.folder, 'var', 'state.db'))) return null;
    const { code, json } = await story.backup();
    if (code !== 0) throw new Violation('exit code', `a backup ends with ${code}`);
    return json.file;
  }

  const faulty: Faulty = {
    story,
    doors,
    run: async (flags) => (await run(flags)).code,
    count: (name) => count(tally, name),
  };

  async function readCopy(): Promise<Mirrored> {
    const { code, error } = await story.plan({ full: true });
    if (code === 1) throw new Violation('exit code', `a plan ends with 1: ${error?.code} ${error?.message}`);
    take();
    isStale = false;
    return readMirror(story);
  }

  /** Expects a run to plan the same as from scratch. */
  async function expectFromScratch(): Promise<void> {
    const [scratch, planned] = [await planFromScratch(story), describePlan(await story.plan())];
    expectNoWrites();
    count(tally, 'plans from scratch');
    // A CV that was read again shows more, such as new categories without tags, and leads to the same decisions.
    const differences = listDifferences('plan', planned, scratch).filter((one) => !/\.observedHash: /.test(one));
    if (differences.length > 0)
      throw new Violation('from scratch', `planned, and from scratch: ${differences.slice(0, 5).join('; ')}`);
  }

  /** Performs a run under another configuration; the round does what it left. */
  async function playPrelude({ prelude, full, delivers }: Round, after: Holding): Promise<void> {
    if (prelude === null) return;
    count(tally, `run under ${prelude}`);
    story.configure(PRELUDES[prelude]);
    const ran = await run({ full });
    expectSafe(holding, after, look());
    await expectPrelude(prelude, { story, before: holding, found: look(), ran, quiet: quietCode(heldNow()) });
    await audit.check(take().service);
    if (prelude === 'guards of users') count(tally, 'approvals', await approveAll(story));
    else story.configure(usual(settings));
    // Absences count only under `sync`, and a used delivery counts for nobody any more.
    if (delivers && 'policy' in PRELUDES[prelude])
      for (const [part] of references) part.deliver(story, shown[part.table] ?? new Map());
    take();
  }

  /** An operator acts. Then the service must contain the same again, once the runs have nothing left to do. */
  async function playActs({ acts }: Round, acting: Pick<Acting, 'after' | 'lastRun' | 'backup'>): Promise<void> {
    const quiet = quietCode(heldNow());
    const seeUse = (isRun: boolean) => (from: Holding, to: Holding) => {
      for (const [, reference] of references) reference.seeUse?.(from, to, { isRun, nowMs: story.clock.now() });
    };
    for (const act of acts) {
      const isDone = await doAct(act, { ...acting, story, before: holding, look, disown: seeUse(false) });
      if (!isDone) continue;
      if (act.do === 'restore') await audit.restart();
      count(tally, act.do === 'undo' ? `undo, then ${act.back}` : act.do);
      const [acted, byAct] = [look(), take().service];
      // Nobody gets an e-mail about an undo, or about an operator's own act.
      mails.check(acted, acted, settings);
      let said = '';
      for (let turn = 0; turn <= MOST_RUNS; turn++) {
        const { code, json } = await run({ full: true });
        said = `${code} ${describeRun(json)}`;
        // The CV contents of an undone person are visible once the account is active again.
        const isMore = act.do === 'undo' && act.back === 'unpin' && (await unpinAll(story)) > 0;
        if (code === quiet && isEmpty(json) && !isMore) break;
        if (turn === MOST_RUNS) throw new Violation('quiet', `not quiet after ${act.do}: ${said}`);
        count(tally, 'approvals', await approveAll(story));
      }
      await audit.check([...byAct, ...take().service]);
      // An erasure removes the entries of one person.
      await audit.settle();
      expectSame(acting.after, look());
      seeUse(true)(acted, acting.after);
      count(tally, 'e-mails', mails.check(acted, acting.after, settings));
      await expectWrittenBack(acting.after, { isCalm: false, isEnd: true });
    }
  }

  async function expectWrittenBack(
    after: Holding,
    how: { readonly isCalm: boolean; readonly isEnd: boolean },
  ): Promise<void> {
    if (settings.writesBack)
      count(tally, 'records written back', await writeBack.check({ shown, after, held: heldNow() }, how));
  }

  return { tally, tell };
}

/** True if nothing is to be done on either side. */
function isEmpty({
  counts,
  to_sources: back = {},
}: Pick<RunDocument, 'counts' | 'to_sources'> | PlanDocument): boolean {
  return Object.keys(counts).length === 0 && Object.keys(back).length === 0;
}

async function byHand(story: Story, hand: Hand, holding: Holding): Promise<Holding> {
  const name = `${hand.of} ${hand.key}`;
  const facts = holding.get(name);
  const part = PARTS.find(({ of }) => of === hand.of);
  if (facts === undefined || part?.doByHand === undefined) return holding;
  await part.doByHand(story, hand, facts);
  return new Map(holding).set(name, { ...facts, ...hand.fields });
}
