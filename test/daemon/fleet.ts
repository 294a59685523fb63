import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Clock } from '../../src/base/clock.js';
import { createLogger, type Logger } from '../../src/base/logger.js';
import { Daemon, type DaemonOptions } from '../../src/daemon/daemon.js';
import { createMetrics, type Metrics } from '../../src/daemon/web/metrics.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../closing.js';
import { ACCOUNT, buildConfig, HEADER, KEY, line, merge, type Row, type Yaml } from '../scenarios/company.js';

/** A clock that stands still until it is set; pauses end immediately. */
export interface HandClock extends Clock {
  set(iso: string): void;
  advance(ms: number): void;
}

export function createHandClock(iso: string): HandClock {
  let nowMs = Date.parse(iso);
  return {
    now: () => nowMs,
    async sleep(_ms, signal) {
      signal?.throwIfAborted();
      await new Promise((resolve) => setImmediate(resolve));
    },
    set: (to) => {
      nowMs = Date.parse(to);
    },
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

export interface TenantSetup {
  readonly sandbox: Sandbox;
  readonly file: string;
  /** Replaces parts of its configuration. */
  configure(patch: { readonly [key: string]: Yaml }): void;
  /** Writes any text, including invalid configurations. */
  write(text: string): void;
  deliver(rows: readonly Row[]): void;
  /** Writes that the service has received since the last call of this function. */
  takeWrites(): number;
}

export interface LogLine {
  readonly msg: string;
  readonly level: string;
  readonly tenant?: string;
  readonly [key: string]: unknown;
}

export interface Fleet {
  readonly folder: string;
  readonly clock: HandClock;
  readonly env: { TALENT_API_KEY: string; [name: string]: string };
  readonly metrics: Metrics;
  readonly log: readonly LogLine[];
  /** Writes to `log`. */
  readonly logger: Logger;
  addTenant(name: string, patch: { readonly [key: string]: Yaml }): Promise<TenantSetup>;
  /** A daemon over the folder of configurations. Several daemons may work on it. */
  openDaemon(options?: Partial<Pick<DaemonOptions, 'wait' | 'parallel' | 'target' | 'fetch' | 'backend'>>): Daemon;
  /** Ticks every minute up to that time, and waits for the runs that start. */
  walk(daemon: Daemon, toIso: string): Promise<void>;
  /** Forgets all log lines and calls so far. */
  forget(): void;
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number | null>;
}

export async function openFleet(startIso: string): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-fleet-'));
  const clock = createHandClock(startIso);
  const env = { TALENT_API_KEY: KEY };
  const log: LogLine[] = [];
  const forgetting: (() => void)[] = [() => log.splice(0)];
  const logger = createLogger('debug', {
    write(text: string) {
      const line = JSON.parse(text) as LogLine;
      if (line.level !== 'debug' || line.msg === 'run starts') log.push(line);
    },
  });
  const daemons: Daemon[] = [];
  const configs = join(folder, 'tenants');
  mkdirSync(configs);
  const metrics = createMetrics({
    clock,
    version: '0.0.0',
    list: async () =>
      (await Promise.all(daemons.filter((one) => !one.isStopping()).map((one) => one.listFresh()))).flat(),
  });
  closeAfterTest({
    async close() {
      await Promise.all(daemons.map((daemon) => daemon.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  });

  async function addTenant(name: string, patch: { readonly [key: string]: Yaml }): Promise<TenantSetup> {
    const sandbox = await createSandbox({ fixture: ACCOUNT, clock });
    closeAfterTest(sandbox);
    const drop = join(folder, 'drop', name);
    mkdirSync(drop, { recursive: true });
    const file = join(configs, `${name}.yaml`);
    let config = merge(buildConfig(sandbox.url), {
      state: `../state/${name}`,
      sources: { hr: { drop: `../drop/${name}` } },
      // Runs start exactly at the slot, unless the test is about spreading them.
      schedule: { every: '*/15 * * * *', spread: 0 },
    });
    let deliveries = 0;
    let looked = 0;
    forgetting.push(() => {
      sandbox.resetCalls();
      looked = 0;
    });
    const setup: TenantSetup = {
      sandbox,
      file,
      configure(more) {
        config = merge(config, more);
        writeFileSync(file, stringify(config));
      },
      write: (text) => writeFileSync(file, text),
      deliver(rows) {
        deliveries += 1;
        const text = [HEADER, ...rows.map((row) => line(row))].join('\n');
        writeFileSync(join(drop, `employees-${String(deliveries).padStart(4, '0')}.csv`), `${text}\n`);
      },
      takeWrites() {
        const calls = sandbox.calls().slice(looked);
        looked = sandbox.calls().length;
        return calls.filter(({ method }) => method !== 'GET').length;
      },
    };
    setup.configure(patch);
    return setup;
  }

  return {
    folder,
    clock,
    env,
    metrics,
    log,
    logger,
    addTenant,
    forget() {
      for (const one of forgetting) one();
    },
    openDaemon({ wait = true, parallel = 4, target = configs, ...more } = {}) {
      const holder = `daemon ${daemons.length + 1}`;
      const daemon = new Daemon({
        target,
        env,
        clock,
        logger,
        holder,
        watcher: metrics.watcher,
        parallel,
        wait,
        ...more,
      });
      daemons.push(daemon);
      return daemon;
    },
    async walk(daemon, toIso) {
      while (clock.now() < Date.parse(toIso)) {
        clock.advance(60_000 - (clock.now() % 60_000));
        daemon.tick();
        await daemon.idle();
      }
    },
    async metric(name, labels = {}) {
      const text = await metrics.render();
      const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
      const found = text
        .split('\n')
        .find((one) => new RegExp(`^${name}[{ ]`).test(one) && wanted.every((label) => one.includes(label)));
      return found === undefined ? null : Number(found.split(' ').at(-1));
    },
  };
}
