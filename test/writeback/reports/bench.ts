import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../src/base/clock.js';
import { createLogger } from '../../../src/base/logger.js';
import type { DeliveredReport } from '../../../src/config/resolve-deliveries.js';
import { createLocalStore } from '../../../src/connectors/drop/local-store.js';
import type { DropStore } from '../../../src/connectors/drop/store.js';
import type { DeliveryResult } from '../../../src/model/delivery.js';
import { createTalentService } from '../../../src/service/talent-service.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { deliverDue, listDueDeliveries } from '../../../src/writeback/reports/deliver-due.js';
import type { DeliveryContext } from '../../../src/writeback/reports/delivery-context.js';
import { makeFolder } from '../../connectors/fixtures.js';
import { openTestStores } from '../../samples.js';

export const REPORT: DeliveredReport = {
  name: 'people',
  at: 'reports.people',
  kind: 'cv',
  type: 'user_report',
  format: 'csv',
  languages: [],
  offices: [],
  filter: { text: [], anyField: {}, skills: [], tags: [] },
  schedule: { every: '30 2 * * *', timezone: 'Europe/Oslo' },
  place: { drop: '/unused', sftp: null },
  fileName: '{report}-{date}-{time}.csv',
};

/** The service's answers, and how often reports are polled. */
export interface Script {
  /** The number of polls until a report is finished. */
  readonly polls: number;
  /** The number of matching CVs per requested office; `*` for all. */
  readonly counts: Readonly<Record<string, number>>;
  /** The file of each report, in the order of their starts. */
  readonly files: readonly string[];
  /** Answers to links before a file, in order. */
  readonly refusals: readonly number[];
}

export interface Bench {
  readonly stores: Stores;
  readonly clock: Clock & { set(iso: string): void };
  /** For example `+1000 GET /api/v2/cv-report/r1`, with milliseconds since the one before. */
  readonly asked: string[];
  readonly results: DeliveryResult[];
  /** Performs a run at that time. */
  run(iso: string): Promise<readonly DeliveryResult[]>;
  due(iso: string): ReturnType<typeof listDueDeliveries>;
  /** Lets the process die when the store is next asked for this. The next run is another process. */
  dieAt(step: keyof DropStore, when?: 'before' | 'after'): void;
  report: DeliveredReport;
  /** The number of calls allowed in total. */
  budget: number;
  files(): readonly string[];
  read(name: string): string;
  readonly folder: string;
}

export class Death extends Error {}

export async function openBench(script: Partial<Script> = {}): Promise<Bench> {
  const { polls = 1, counts = {}, files = ['Name\r\nAnna\r\n'], refusals = [] } = script;
  const folder = join(await makeFolder(), 'out');
  mkdirSync(folder);
  const stores = openTestStores();
  let nowMs = 0;
  let lastMs = 0;
  const clock: Bench['clock'] = {
    now: () => nowMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      nowMs += ms;
    },
    set: (iso) => {
      nowMs = Date.parse(iso);
      lastMs = nowMs;
    },
  };
  const asked: string[] = [];
  const left = new Map<string, number>();
  const refused = [...refusals];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(String(input));
    asked.push(`+${nowMs - lastMs} ${init?.method} ${url.pathname}`);
    lastMs = nowMs;
    if (url.host === 'files.example.org') {
      const status = refused.shift();
      if (status !== undefined) return new Response('<Error>Request has expired</Error>', { status });
      return new Response(files[Number(url.pathname.slice(2)) - 1] ?? '');
    }
    if (url.pathname === '/api/v4/search') {
      const { office_ids: ids } = JSON.parse(String(init?.body)) as { office_ids?: readonly string[] };
      const total = ids === undefined ? counts['*'] : ids.reduce((sum, id) => sum + (counts[id] ?? 0), 0);
      return Response.json({ cvs: [], total: total ?? 1 });
    }
    const id = init?.method === 'POST' ? `r${left.size + 1}` : (url.pathname.split('/').at(-1) ?? '');
    const rest = left.get(id) ?? polls;
    left.set(id, init?.method === 'POST' ? polls : rest - 1);
    const isFinished = init?.method === 'GET' && rest <= 1;
    const link = isFinished ? `https://files.example.org/${id}?signature=s3cret` : null;
    return Response.json({
      _id: id,
      state: isFinished ? 'finished' : 'started',
      cv_report: { url: link },
      file: { url: link },
    });
  };
  const { reader } = createTalentService({ baseUrl: 'https://acme.example.com', apiKey: 'secret-key', clock, fetch });
  let death: { readonly step: keyof DropStore; readonly when: 'before' | 'after' } | null = null;
  const openStore = (): DropStore => {
    const store = createLocalStore(folder);
    return new Proxy(store, {
      get(target, step: keyof DropStore) {
        const member = target[step];
        if (typeof member !== 'function' || death?.step !== step) return member;
        return async (...words: unknown[]) => {
          if (death?.when === 'after') await (member as (...words: unknown[]) => Promise<unknown>).apply(target, words);
          throw new Death(`died ${death?.when} ${step}`);
        };
      },
    });
  };
  const results: DeliveryResult[] = [];
  const bench: Bench = {
    stores,
    clock,
    asked,
    results,
    report: REPORT,
    budget: Number.POSITIVE_INFINITY,
    folder,
    async run(iso) {
      clock.set(iso);
      const context: DeliveryContext = {
        config: { reports: [bench.report], documents: [] },
        stores,
        logger: createLogger('silent', { write: () => undefined }),
        startedBy: 'test',
        surveys: new Map(),
        setup: {
          tools: {
            reader,
            mirror: stores.mirror,
            clock,
            signal: undefined,
            serviceTime: () => null,
            mayCall: () => asked.length < bench.budget,
          },
          spools: join(folder, '..', 'spools'),
          openStore,
          countWrites: () => 0,
        },
      };
      const made = await deliverDue(context, `r${iso}`);
      death = null;
      results.push(...made);
      return made;
    },
    due(iso) {
      return listDueDeliveries({ reports: [bench.report] }, stores, Date.parse(iso));
    },
    dieAt(step, when = 'before') {
      death = { step, when };
    },
    files: () => readdirSync(folder).sort(),
    read: (name) => readFileSync(join(folder, name), 'utf8'),
  };
  return bench;
}
