import { PEOPLE_VENDORS } from '../../../src/connectors/hris/vendors.js';
import { createListedReader } from '../../../src/connectors/listed/listed-reader.js';
import { createListedWriter } from '../../../src/connectors/listed/listed-writer.js';
import { closeAfterTest } from '../../closing.js';
import { ENV, loadSample, SAMPLE } from '../../config/sample.js';
import type { VendorServer } from '../crm/imitations/vendor-server.js';
import type { Time } from '../crm/vendor.js';
import { buildContext, readAll } from '../fixtures.js';

/** A source of people as its configuration has it, with parts of the login as texts. */
export interface PeopleSource {
  readonly preset: string;
  readonly auth: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

/** The people of a preset as a configuration makes them, read again and again while time goes by, and written to. */
export function openPeople(
  server: VendorServer,
  time: Time,
  source: PeopleSource,
  env: Readonly<Record<string, string>> = {},
) {
  closeAfterTest(server);
  const people = JSON.stringify({ type: 'hris', base_url: server.url, ...source });
  const text = SAMPLE.replace('\nusers:', `\n  people: ${people}\nusers:`);
  const config = loadSample(text, { ...ENV, ...env }).sources.people;
  if (config?.type !== 'hris') throw new Error('no source of people');
  const system = PEOPLE_VENDORS[config.dialect as keyof typeof PEOPLE_VENDORS];
  const context = buildContext((ms) => {
    time.now += ms;
  });
  const clock = { ...context.clock, now: () => time.now };
  /** On while a signal of another source has started the run. */
  const resting = { isOn: false };
  const reading = { ...context, clock, rests: () => resting.isOn };
  const connector = createListedReader('people', config, system, reading);
  const writer = createListedWriter('people', config, system, { ...context, clock });
  closeAfterTest(connector);
  closeAfterTest(writer);
  return {
    connector,
    writer,
    config,
    slept: context.slept,
    resting,
    async read() {
      const before = server.requests.length;
      const { records, rejected, batches, evidence } = await readAll(connector);
      return {
        records,
        cells: new Map(records.map(({ key, cells }) => [key, cells])),
        rejected: rejected.map(({ reason }) => reason),
        gone: batches.flatMap(({ gone }) => gone ?? []).map(({ key }) => key),
        asked: server.requests.slice(before).map(({ method, path }) => `${method} ${path}`),
        complete: evidence.complete,
        partial: evidence.partial ?? false,
        because: evidence.incompleteBecause,
        emptied: (evidence.emptied ?? []).map(({ column }) => column),
        /** A run has used it. */
        settle: async () => connector.settle?.(evidence),
      };
    },
  };
}

export type People = ReturnType<typeof openPeople>;
export type PeopleRead = Awaited<ReturnType<People['read']>>;

/** An HR system or a directory with people, and what HR does there. */
export interface Staff {
  readonly server: VendorServer;
  readonly time: Time;
  readonly people: People;
  readonly source: PeopleSource;
  /** Ids of the people that it began with. */
  readonly ids: readonly string[];
  /** A new colleague, who may begin later than today; answers the id. */
  hire(name: string, startsAt?: number): string;
  promote(id: string, title: string): void;
  /** Parental leave, a sabbatical, a suspended account: somebody who has not left. */
  rest(id: string): void;
  /** HR says that the person has left. */
  leave(id: string): void;
  /** The record is deleted for good. */
  remove(id: string): void;
  /** The key may no longer see the person; absent where keys always see everybody. */
  hide?(id: string): void;
  /** The key may no longer see the column, until the answer is called; absent where the vendor has no such rights. */
  hideColumn?(column: 'title'): () => void;
  /** Requests of the last read that only let us in. */
  readonly login: RegExp;
  /** How the vendor asks to wait. */
  readonly throttle: {
    readonly status: number;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** The sign that a person has left, as the guide page has it: for `leaver.when`, and for cells. */
  readonly leaver: string;
  hasLeft(cells: Readonly<Record<string, unknown>>): boolean;
}

/** Requests of a read that were not for a token. */
export function countAsked({ asked }: PeopleRead, { login }: Staff): number {
  return asked.filter((request) => !login.test(request)).length;
}
