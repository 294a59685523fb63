import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createRandom, type Random } from '../../src/sandbox/company/random.js';
import type { Postgres } from '../postgres.js';
import { type Company, findSettled, hire, listCustomers, listUsers, openCompany } from './company.js';
import { findUnnamed } from './find-unnamed.js';
import { type LogLine, type Node, startNode } from './node.js';
import { addPush, type Push, SCIM, SCIM_TOKEN } from './pushes.js';

export interface ChaosOptions {
  readonly folder: string;
  readonly server: Postgres;
  readonly seed: number;
  readonly minutes: number;
  readonly tenants: number;
  readonly daemons: number;
  /** Minutes from slot to slot. */
  readonly every: number;
  /** Identity providers push to any daemon. */
  readonly pushes: boolean;
  /** Runs are also ordered on pages, and bring in the last changes. Otherwise only slots do. */
  readonly orders: boolean;
  /** The first events, in this order. */
  readonly first: readonly string[];
  /** Seconds between two events: minimum, maximum. */
  readonly between: readonly [number, number];
  /** Seconds for which PostgreSQL is unavailable. */
  readonly awaySeconds: number;
  /** Seconds for which a daemon is stopped: minimum, maximum. */
  readonly stoppedSeconds: readonly [number, number];
  /** After this number of seconds nothing is killed, stopped or unavailable. */
  readonly calmAfterSeconds: number;
  readonly onEvent: (text: string) => void;
}

/** A decision on a page. */
export interface Decision {
  readonly tenant: string;
  readonly key: string;
  readonly kind: 'approve' | 'decline';
  /** No other decision has this reason. */
  readonly reason: string;
  /** The decision was answered; it may count even without an answer. */
  readonly isAnswered: boolean;
}

export interface Played {
  readonly companies: ReadonlyMap<string, Company>;
  readonly nodes: readonly Node[];
  readonly log: readonly LogLine[];
  readonly decisions: readonly Decision[];
  readonly pushes: readonly Push[];
  readonly orders: number;
  /** When PostgreSQL was unavailable: from, to, in milliseconds since the epoch. */
  readonly away: readonly (readonly [number, number])[];
  readonly events: ReadonlyMap<string, number>;
  readonly endedMs: number;
}

/** A run of the fleet with all its events: the same events in the same order for the same seed. */
export class Chaos {
  readonly #options: ChaosOptions;
  readonly #random: Random;
  readonly #companies = new Map<string, Company>();
  readonly #configs = new Map<string, string>();
  #nodes: Node[] = [];
  readonly #log: LogLine[] = [];
  readonly #decisions: Decision[] = [];
  readonly #pushes: Push[] = [];
  readonly #away: [number, number][] = [];
  readonly #events = new Map<string, number>();
  /** Undecided leavers: tenant and key. */
  #leavers: (readonly [Company, string])[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #started = 0;
  #orders = 0;
  #reasons = 0;
  #isAway = false;

  constructor(options: ChaosOptions) {
    this.#options = options;
    this.#random = createRandom(options.seed);
  }

  async play(): Promise<Played> {
    const { daemons, minutes, between, calmAfterSeconds, orders } = this.#options;
    await this.#openCompanies();
    for (let at = 0; at < daemons; at += 1) this.#start();
    await Promise.all(this.#nodes.map((node) => node.ready()));
    if (orders) await this.#orderAll();
    const first = [...this.#options.first];
    const begunMs = performance.now();
    const secondsGone = (): number => (performance.now() - begunMs) / 1_000;
    while (secondsGone() < minutes * 60) {
      const [least, most] = between;
      await setTimeout((least + this.#random.below((most - least) * 1_000 + 1) / 1_000) * 1_000);
      this.#doOne(secondsGone() < calmAfterSeconds, first.shift() ?? null);
    }
    await Promise.all(this.#underWay);
    await this.#settle();
    return this.#end();
  }

  /** Removes everything. */
  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.lose()));
    for (const { sandbox } of this.#companies.values()) await sandbox.close();
  }

  async #openCompanies(): Promise<void> {
    const { folder, tenants, every, pushes } = this.#options;
    mkdirSync(join(folder, 'nodes'));
    for (let at = 1; at <= tenants; at += 1) {
      const name = `t${at}`;
      const company = await openCompany({
        ...{ drops: join(folder, 'drops'), name, people: 20, latencyMs: 50 },
        every: every === 1 ? '* * * * *' : `*/${every} * * * *`,
        spreadMs: Math.min(every * 30_000, 60_000),
        ...(pushes ? { more: SCIM } : {}),
      });
      this.#companies.set(name, company);
      this.#configs.set(name, company.config);
    }
  }

  #start(): Node {
    this.#started += 1;
    const node = startNode({
      folder: join(this.#options.folder, 'nodes'),
      name: `n${this.#started}`,
      postgresUrl: this.#options.server.url,
      configs: this.#configs,
      env: { SCIM_TOKEN },
    });
    this.#nodes.push(node);
    return node;
  }

  async #orderAll(): Promise<void> {
    await Promise.all([...this.#companies.keys()].map((name) => this.#order(name, this.#random.pick(this.#nodes))));
  }

  async #order(tenant: string, node: Node): Promise<void> {
    const { status } = await node.post(`/tenants/${tenant}/now/run`);
    if (status === 303) this.#orders += 1;
  }

  /** All possible events, with their weights. */
  #doOne(mayBreak: boolean, wanted: string | null): void {
    this.#replaceEnded();
    const able = this.#nodes.filter((node) => node.isRunning() && !node.isPaused());
    const most = this.#options.daemons + 1;
    const serving = able.filter((node) => node.isServing());
    const choices: readonly (readonly [number, string, () => Promise<void>])[] = [
      [mayBreak && able.length > 0 ? 3 : 0, 'kill', () => this.#kill(this.#random.pick(able))],
      [mayBreak && able.length > 1 ? 3 : 0, 'stop', () => this.#pause(this.#random.pick(able))],
      [mayBreak && !this.#isAway ? 2 : 0, 'restart PostgreSQL', () => this.#restart(0)],
      [mayBreak && !this.#isAway ? 1 : 0, 'PostgreSQL down', () => this.#restart(this.#options.awaySeconds)],
      [mayBreak && able.length > 2 ? 1 : 0, 'remove a daemon', () => this.#remove(this.#random.pick(able))],
      [this.#nodes.length < most ? 1 : 0, 'add a daemon', async () => void this.#start()],
      [6, 'HR file', () => this.#deliver(serving)],
      [
        serving.length > 0 && this.#leavers.length > 0 ? 6 : 0,
        'decision',
        () => this.#decide(this.#random.pick(serving)),
      ],
      [serving.length > 0 && this.#options.pushes ? 4 : 0, 'push', () => this.#push(this.#random.pick(serving))],
      [
        serving.length > 0 && this.#options.orders ? 3 : 0,
        'run now',
        () => this.#order(this.#pickCompany().name, this.#random.pick(serving)),
      ],
    ];
    let left = this.#random.below(choices.reduce((sum, [weight]) => sum + weight, 0));
    const drawn = choices.find(([weight]) => {
      left -= weight;
      return left < 0;
    });
    const chosen = wanted === null ? drawn : choices.find(([, name]) => name === wanted);
    if (chosen === undefined) return;
    const [, name, work] = chosen;
    this.#events.set(name, (this.#events.get(name) ?? 0) + 1);
    const done = work().finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  #say(text: string): void {
    this.#options.onEvent(`${new Date().toISOString().slice(11, 23)} ${text}`);
  }

  async #kill(node: Node): Promise<void> {
    this.#say(`kill -9 ${node.name}, back on an empty folder`);
    this.#leave(node);
    await node.lose();
    this.#harvest(node);
    this.#start();
  }

  async #remove(node: Node): Promise<void> {
    this.#say(`removed: ${node.name}`);
    this.#leave(node);
    await node.stop();
    this.#harvest(node);
    await node.lose();
  }

  /** Starts ended daemons again, as a platform does; the end itself is a defect. */
  #replaceEnded(): void {
    for (const node of this.#nodes.filter((one) => one.crash() !== null)) {
      this.#say(`${node.name} has ended by itself`);
      this.#leave(node);
      this.#harvest(node);
      this.#start();
    }
  }

  #leave(node: Node): void {
    this.#nodes = this.#nodes.filter((one) => one !== node);
  }

  #harvest(node: Node): void {
    this.#log.push(...node.log().map((line) => ({ ...line, node: node.name })));
    const crash = node.crash();
    if (crash !== null) this.#log.push(notice(CRASHED, node.name, { crash }));
  }

  async #pause(node: Node): Promise<void> {
    const [least, most] = this.#options.stoppedSeconds;
    const seconds = least + this.#random.below(most - least + 1);
    this.#say(`SIGSTOP ${node.name} for ${seconds} s`);
    node.pause();
    await setTimeout(seconds * 1_000);
    node.resume();
  }

  async #restart(awaySeconds: number): Promise<void> {
    this.#isAway = true;
    this.#say(awaySeconds === 0 ? 'PostgreSQL restarts immediately' : `PostgreSQL is down for ${awaySeconds} s`);
    const fromMs = Date.now();
    await this.#options.server.kill();
    await setTimeout(awaySeconds * 1_000);
    await this.#options.server.start();
    this.#away.push([fromMs, Date.now()]);
    this.#isAway = false;
  }

  #pickCompany(): Company {
    return this.#random.pick([...this.#companies.values()]);
  }

  /** One PUT, one POST, and one leaver or project. Values in transit are not changed again. */
  async #deliver(serving: readonly Node[]): Promise<void> {
    const company = this.#pickCompany();
    const { people, projects, name } = company;
    const settled = findSettled(company);
    const done: string[] = [];
    if (settled.length > 2) {
      const key = this.#random.pick(settled);
      company.titles += 1;
      people.set(key, { ...people.get(key), title: `Title ${company.titles}` });
      done.push(`${key} changes`);
      const leaver = this.#random.pick(settled.filter((other) => other !== key));
      if (this.#random.chance(60)) {
        people.set(leaver, { ...people.get(leaver), status: 'left' });
        this.#leavers.push([company, leaver]);
        done.push(`${leaver} leaves`);
      }
    }
    if (done.length < 2) {
      projects.push(`P${projects.length + 1}`);
      done.push(`${projects.at(-1)} is new`);
    }
    done.push(`${hire(company)} joins`);
    this.#say(`HR of ${name}: ${done.join(', ')}`);
    company.deliver();
    if (this.#options.orders && serving.length > 0) await this.#order(name, this.#random.pick(serving));
  }

  async #decide(node: Node): Promise<void> {
    const about = this.#random.pick(this.#leavers);
    const [{ name: tenant }, key] = about;
    const kind = this.#random.chance(60) ? 'approve' : 'decline';
    this.#leavers = this.#leavers.filter((one) => one !== about);
    this.#reasons += 1;
    const reason = `chaos ${this.#reasons}.`;
    const path = `/api/tenants/${tenant}/${kind === 'approve' ? 'approvals' : 'declines'}`;
    const { status, text } = await node.decide(path, { who: `user:${key}`, reason });
    if (status !== 404) this.#say(`${kind} ${key} of ${tenant} on ${node.name}: ${status}`);
    const isAnswered = status === 200;
    // It is not in a plan yet, so somebody tries again.
    if (!isAnswered && status >= 400 && status < 500) this.#leavers.push(about);
    else this.#decisions.push({ tenant, key, kind, reason, isAnswered });
    if (status >= 500) this.#say(text.slice(0, 300));
  }

  async #push(node: Node): Promise<void> {
    const company = this.#pickCompany();
    const text = await addPush(company, node, this.#random, this.#pushes);
    if (text !== null) this.#say(`push to ${company.name} on ${node.name}: ${text}`);
  }

  /** Everything is available again, people decide the rest, and all of it arrives: by the slots, or by orders. */
  async #settle(): Promise<void> {
    const { every, server, orders } = this.#options;
    this.#say('no more events');
    this.#replaceEnded();
    while (this.#nodes.length < this.#options.daemons) this.#start();
    await Promise.all(this.#nodes.map((node) => node.ready()));
    const limitMs = performance.now() + (TAKEOVER_MS + 15_000 + 4 * every * 60_000);
    let ordered = new Set<string>();
    while (performance.now() < limitMs) {
      const late = [...this.#companies.values()].filter((one) => findLate(one, this.#decisions) !== null);
      const [row] = await server.ask(BUSY);
      if (late.length + this.#leavers.length === 0 && row?.busy === 0) return;
      if (this.#leavers.length > 0) await this.#decide(this.#random.pick(this.#nodes));
      if (orders) {
        for (const { name } of late.filter((one) => !ordered.has(one.name)))
          await this.#order(name, this.#random.pick(this.#nodes));
        ordered = new Set([...ordered, ...late.map(({ name }) => name)]);
        if (row?.busy === 0) ordered.clear();
      }
      await setTimeout(500);
    }
    this.#say('time is up, and something is still missing');
  }

  async #end(): Promise<Played> {
    const endedMs = Date.now();
    for (const node of this.#nodes) {
      const missing = await findUnnamed(node, [...this.#companies.keys()]);
      if (missing.length > 0) this.#log.push(notice(UNNAMED, node.name, { missing }));
    }
    for (const node of this.#nodes) {
      await node.stop();
      this.#harvest(node);
    }
    const { companies, events } = { companies: this.#companies, events: this.#events };
    return {
      ...{ companies, events, endedMs, nodes: this.#nodes, log: this.#log, decisions: this.#decisions },
      ...{ pushes: this.#pushes, orders: this.#orders, away: this.#away },
    };
  }
}

/** Lease, longest call, and ten seconds. */
export const TAKEOVER_MS = 15_000 + 30_000 + 10_000;

export const UNNAMED = 'a daemon does not name a tenant';
export const CRASHED = 'a daemon has ended by itself';

function notice(msg: string, node: string, facts: object): LogLine {
  return { msg, level: 'error', time: new Date().toISOString(), node, ...facts };
}

const BUSY = `SELECT (SELECT count(*) FROM tenant WHERE holder IS NOT NULL)::int
  + (SELECT count(*) FROM inbox WHERE ended_at IS NULL)::int AS busy`;

/** A change that has not arrived at a company's service; null: all of them have. */
export function findLate(company: Company, decisions: readonly Decision[]): string | null {
  const users = new Map(listUsers(company).map((user) => [user.external_unique_id, user]));
  for (const [key, { title, status }] of company.people) {
    const user = users.get(key);
    if (user === undefined) return `${key} is missing`;
    if (status === undefined && user.title.en !== title) return `${key} has the title ${user.title.en}, not ${title}`;
    const push = company.phones.get(key);
    if (push?.isAnswered === true && user.telephone !== push.phone)
      return `${key} does not have the pushed telephone number`;
    const decision = decisions.find((one) => one.tenant === company.name && one.key === key && one.isAnswered);
    if (decision !== undefined && user.deactivated !== (decision.kind === 'approve'))
      return `${key} is ${user.deactivated ? 'not ' : ''}active, after: ${decision.kind}`;
  }
  const customers = listCustomers(company);
  const there = new Set(customers.flatMap((one) => [one, ...one.projects].map((all) => all.external_unique_id)));
  const missing = [...company.customers, ...company.projects].find((id) => !there.has(id));
  return missing === undefined ? null : `${missing} is missing`;
}
