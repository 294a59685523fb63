import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Secret } from '../../src/base/secrets/secret.js';
import { findDelay } from '../../src/config/schedule/spread.js';
import { verifyChain } from '../../src/store/audit/verify-chain.js';
import { openStores } from '../../src/store/open-stores.js';
import { openPostgres } from '../../src/store/remote/postgres.js';
import { bringUpCopy } from '../../src/store/remote/state-line.js';
import { CRASHED, type Decision, findLate, type Played, TAKEOVER_MS, UNNAMED } from './chaos.js';
import { type Company, listCustomers, listUsers } from './company.js';
import type { LogLine } from './node.js';

/** The result of a period of chaos. */
export interface Verdict {
  readonly counts: Readonly<Record<string, number>>;
  /** Each is a defect. */
  readonly violations: readonly string[];
}

interface JudgeOptions {
  readonly folder: string;
  readonly url: string;
  /** Minutes from slot to slot. */
  readonly every: number;
  readonly spreadMs: number;
}

/** Compares everything observed with the rules. */
export async function judge(played: Played, { folder, url, every, spreadMs }: JudgeOptions): Promise<Verdict> {
  const postgres = openPostgres({ url: new Secret(url), tls: null, connections: 2 });
  const tally = new Tally();
  try {
    for (const company of played.companies.values()) {
      const state = join(folder, 'judged', company.name);
      mkdirSync(state, { recursive: true });
      if (!(await bringUpCopy(postgres, company.name, state))) {
        tally.blame(company.name, 'it has no state');
        continue;
      }
      const own = readState(state, company.name, tally);
      const delayMs = findDelay({ ...scheduleOf(every), spreadMs }, company.name);
      judgeSlots(company.name, { runs: own.runs, played, everyMs: every * 60_000, delayMs }, tally);
      judgeCalls(company, played.log, tally);
      judgeDecisions(company.name, played.decisions, own.reasons, tally);
      const late = findLate(company, played.decisions);
      if (late !== null) tally.blame(company.name, `a person has to look: ${late}`);
    }
  } finally {
    await postgres.close();
  }
  for (const line of played.log) judgeLine(line, tally);
  tally.add('pushes answered', played.pushes.filter((one) => one.isAnswered).length);
  tally.add('orders on pages', played.orders);
  tally.add('tenants', played.companies.size);
  return tally;
}

class Tally implements Verdict {
  readonly counts: Record<string, number> = {};
  readonly violations: string[] = [];

  add(name: string, count = 1): void {
    this.counts[name] = (this.counts[name] ?? 0) + count;
  }

  most(name: string, value: number): void {
    this.counts[name] = Math.max(this.counts[name] ?? 0, value);
  }

  blame(tenant: string, what: string): void {
    this.violations.push(`${tenant}: ${what}`);
  }
}

export function scheduleOf(every: number): { readonly every: string; readonly timezone: string } {
  return { every: every === 1 ? '* * * * *' : `*/${every} * * * *`, timezone: 'UTC' };
}

interface EndedRun {
  readonly id: string;
  /** 1: it failed, or was stopped with its daemon; then another run serves its slot. */
  readonly exitCode: number;
}

interface FoundState {
  /** Runs that have ended, oldest first. */
  readonly runs: readonly EndedRun[];
  /** The reason of every decision in the audit. */
  readonly reasons: ReadonlySet<string>;
}

function readState(folder: string, tenant: string, tally: Tally): FoundState {
  const stores = openStores(folder);
  try {
    if (verifyChain(stores.audit).broken !== null) tally.blame(tenant, 'the audit chain is broken');
    else tally.add('audits intact');
  } finally {
    stores.close();
  }
  const sqlite = new Database(join(folder, 'state.db'), { readonly: true });
  try {
    if (sqlite.pragma('integrity_check', { simple: true }) !== 'ok') tally.blame(tenant, 'the state is damaged');
    const runs = sqlite.prepare<[], EndedRun>(
      'SELECT id, exit_code AS exitCode FROM runs WHERE exit_code IS NOT NULL ORDER BY rowid',
    );
    const reasons = sqlite.prepare<[], string>(
      "SELECT entry ->> 'reason' FROM audit WHERE entry ->> 'kind' IN ('approval given', 'change declined')",
    );
    return { runs: runs.all(), reasons: new Set(reasons.pluck().all()) };
  } finally {
    sqlite.close();
  }
}

interface SlotFacts {
  readonly runs: readonly EndedRun[];
  readonly played: Played;
  readonly everyMs: number;
  readonly delayMs: number;
}

interface Start {
  readonly atMs: number;
  /** The number of its slot. */
  readonly slot: number;
  readonly missed: number;
  readonly isOrder: boolean;
}

/** Each slot has one run, or the next run counts it as missed. None begins late unless PostgreSQL was unavailable. */
function judgeSlots(tenant: string, { runs, played, everyMs, delayMs }: SlotFacts, tally: Tally): void {
  const starts = new Map<string, Start>();
  for (const line of played.log) {
    if (line.tenant !== tenant || line.msg !== 'run starts') continue;
    const [atMs, slotMs] = [Date.parse(line.time), Date.parse(String(line.slot))];
    const isOrder = slotMs % everyMs !== 0;
    const slot = Math.floor((slotMs - (isOrder ? delayMs : 0)) / everyMs);
    starts.set(String(line.run), { atMs, slot, missed: Number(line.missed), isOrder });
  }
  const served: (Start & EndedRun)[] = [];
  for (const run of runs) {
    const start = starts.get(run.id);
    if (start === undefined) tally.blame(tenant, `run ${run.id} is in no log`);
    else judgeRun(tenant, { ...start, ...run }, served, tally);
  }
  tally.add('runs', runs.length);
  tally.add('slots', served.length);
  tally.add(
    'missed',
    served.slice(1).reduce((sum, { missed }) => sum + missed, 0),
  );
  judgeStarts(tenant, [...starts.values()], { played, everyMs, delayMs }, tally);
}

/** @param served the earlier runs, each for its own slot */
function judgeRun(tenant: string, one: Start & EndedRun, served: (Start & EndedRun)[], tally: Tally): void {
  const fits = (before: Start | undefined): boolean =>
    before === undefined || (one.slot > before.slot && one.slot - before.slot - 1 === one.missed);
  // An order finds a slot that was served already; any other order serves a due slot.
  if (one.isOrder && one.slot <= (served.at(-1)?.slot ?? 0)) return;
  while (!fits(served.at(-1)) && served.at(-1)?.exitCode === 1) {
    served.pop();
    tally.add('runs repeated after a stop');
  }
  const before = served.at(-1);
  if (before !== undefined && !fits(before))
    tally.blame(
      tenant,
      `run ${one.id} is for the slot ${one.slot} and counts ${one.missed} as missed, after the slot ${before.slot}`,
    );
  served.push(one);
}

function judgeStarts(
  tenant: string,
  starts: readonly Start[],
  { played, everyMs, delayMs }: Omit<SlotFacts, 'runs'>,
  tally: Tally,
): void {
  const firsts = new Map<number, number>();
  for (const { slot, atMs } of starts) firsts.set(slot, Math.min(firsts.get(slot) ?? Number.POSITIVE_INFINITY, atMs));
  // First contact belongs to no slot.
  for (let slot = Math.min(...firsts.keys()) + 1; slot < Number.POSITIVE_INFINITY; slot += 1) {
    const dueMs = slot * everyMs + delayMs;
    if (dueMs + TAKEOVER_MS > played.endedMs) return;
    const lateMs = (firsts.get(slot) ?? Number.POSITIVE_INFINITY) - dueMs;
    const wasAway = played.away.some(([from, to]) => from < dueMs + TAKEOVER_MS && dueMs < to + TAKEOVER_MS);
    if (wasAway) continue;
    tally.most('latest start in seconds', Math.round(lateMs / 100) / 10);
    if (lateMs > TAKEOVER_MS)
      tally.blame(tenant, `the slot ${new Date(dueMs).toISOString()} began ${lateMs / 1_000} s late`);
  }
}

/** Each object is one POST, and each requested change is one PUT. */
function judgeCalls(company: Company, log: readonly LogLine[], tally: Tally): void {
  const users = listUsers(company);
  const customers = listCustomers(company);
  const calls = company.sandbox.calls().filter(({ method }) => method === 'POST' || method === 'PUT');
  const posts = calls.filter(({ method }) => method === 'POST');
  const ids = [users, customers, customers.flatMap(({ projects }) => projects)].map((objects) =>
    objects.map((one) => one.external_unique_id),
  );
  const wantedIds = [[...company.people.keys()], company.customers, company.projects];
  for (const [at, found] of ids.entries()) {
    const twice = found.filter((id, place) => found.indexOf(id) !== place);
    for (const id of twice) tally.blame(company.name, `${id} was posted twice`);
    if (posts.filter(({ route }) => ROUTES[at] === route).length !== wantedIds[at]?.length)
      tally.blame(
        company.name,
        `${posts.filter(({ route }) => ROUTES[at] === route).length} POSTs ${ROUTES[at]}, expected: ${wantedIds[at]?.length}`,
      );
  }
  const phones = [...company.phones.values()].filter(
    ({ key, phone }) => users.find((user) => user.external_unique_id === key)?.telephone === phone,
  );
  const wanted = company.titles + users.filter(({ deactivated }) => deactivated).length + phones.length;
  const updates = calls.filter(({ method }) => method === 'PUT');
  const puts = updates.length;
  tally.add('pushes found', phones.length);
  tally.add('POSTs expected', wantedIds.flat().length);
  tally.add('POSTs seen', posts.length);
  tally.add('PUTs expected', wanted);
  tally.add('PUTs seen', puts);
  if (puts !== wanted) {
    const sent = updates.map(({ path, at, ms, status }) => `${path} ${new Date(at).toISOString()} ${ms} ms ${status}`);
    const runs = log.filter(({ tenant, msg }) => tenant === company.name && msg === 'run starts');
    const begun = runs.map(({ time, node, run }) => `${time} ${node} ${run}`);
    tally.blame(company.name, `${puts} PUTs, expected: ${wanted}: ${[...sent, ...begun].join(', ')}`);
  }
}

const ROUTES = ['/api/v1/users', '/api/v2/company/cv/customers', '/api/v2/company/cv/customers/:customer_id/projects'];

function judgeDecisions(
  tenant: string,
  decisions: readonly Decision[],
  reasons: ReadonlySet<string>,
  tally: Tally,
): void {
  for (const { kind, key, reason, isAnswered } of decisions.filter((one) => one.tenant === tenant)) {
    const isFound = reasons.has(reason);
    tally.add(`${kind}s ${isAnswered ? 'answered' : 'without an answer'}`);
    if (isFound) tally.add(`${kind}s found`);
    if (isAnswered && !isFound) tally.blame(tenant, `the answered ${kind} of ${key} is missing`);
  }
}

const DEFECTS: readonly string[] = ['defect', UNNAMED, CRASHED];

/** Lines that nobody should have to read. */
function judgeLine({ time: _, ...line }: LogLine, tally: Tally): void {
  const { msg, level, tenant, node, code } = line;
  if (DEFECTS.includes(msg) || code === 'SYNC_INTERNAL') tally.blame(String(tenant ?? node), JSON.stringify(line));
  else if (level === 'error' || level === 'warn')
    tally.add(`log: ${msg}${typeof code === 'string' ? ` (${code})` : ''}`);
}
