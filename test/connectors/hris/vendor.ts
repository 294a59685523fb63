import { PEOPLE_VENDORS } from '../../../src/connectors/hris/vendors.js';
import { createListedReader } from '../../../src/connectors/listed/listed-reader.js';
import { createListedWriter } from '../../../src/connectors/listed/listed-writer.js';
import { closeAfterTest } from '../../closing.js';
import { ENV, loadSample, SAMPLE } from '../../config/sample.js';
import type { VendorServer } from '../crm/imitations/vendor-server.js';
import type { Time } from '../crm/vendor.js';
import { buildContext, readAll } from '../fixtures.js';

/** A source of people as configured, with the secrets as texts. */
export interface PeopleSource {
  readonly preset: string;
  readonly auth: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

/** Opens the configured people of a preset, to be read repeatedly while time passes, and to be written to. */
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
        /** Reports to the connector that a run has used the read. */
        settle: async () => connector.settle?.(evidence),
      };
    },
  };
}

export type People = ReturnType<typeof openPeople>;
export type PeopleRead = Awaited<ReturnType<People['read']>>;

/** An HR system or a directory with people, and the actions of HR. */
export interface Staff {
  readonly server: VendorServer;
  readonly time: Time;
  readonly people: People;
  readonly source: PeopleSource;
  /** Ids of the people at the beginning. */
  readonly ids: readonly string[];
  /** Adds a colleague, who may start later than today; returns the id. */
  hire(name: string, startsAt?: number): string;
  promote(id: string, title: string): void;
  /** Starts a parental leave, a sabbatical or a suspension; the person has not left. */
  rest(id: string): void;
  /** Marks the person as having left. */
  leave(id: string): void;
  /** Deletes the record permanently. */
  remove(id: string): void;
  /** Hides the person from the key; absent if keys always see everyone. */
  hide?(id: string): void;
  /**
   * Hides the column from the key until the returned function is called; absent if the vendor has no such permissions.
   */
  hideColumn?(column: 'title'): () => void;
  /** Requests that are only for a log-in. */
  readonly login: RegExp;
  /** The vendor’s way to ask for a pause. */
  readonly throttle: {
    readonly status: number;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** The sign that a person has left, as in the guide: for `leaver.when`, and for cells. */
  readonly leaver: string;
  hasLeft(cells: Readonly<Record<string, unknown>>): boolean;
}

/** Counts the requests of a read, except those for a token. */
export function countAsked({ asked }: PeopleRead, { login }: Staff): number {
  return asked.filter((request) => !login.test(request)).length;
}
