import type { Clock } from '../clock.js';
import { type CallRecord, createCaller } from './call.js';
import { type CallCounts, createCallLedger } from './call-ledger.js';
import {
  type CountriesReader,
  type CountriesWriter,
  createCountriesReader,
  createCountriesWriter,
} from './countries.js';
import {
  type CustomersReader,
  type CustomersWriter,
  createCustomersReader,
  createCustomersWriter,
} from './customers.js';
import { concurrencyOf, createLimiter, type Limiter, type LimiterStats, type RateLimit } from './limiter.js';
import { createProjectsReader, createProjectsWriter, type ProjectsReader, type ProjectsWriter } from './projects.js';
import { createRetry } from './retry.js';
import { ServiceError } from './service-error.js';
import { createTagsReader, createTagsWriter, type TagsReader, type TagsWriter } from './tags.js';
import { createTransport } from './transport.js';
import { createUsersReader, createUsersWriter, type UsersReader, type UsersWriter } from './users.js';

export interface TalentServiceOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly rateLimit: RateLimit;
  /** One that other services of the same account take their turns from too; its own, from `rateLimit`, unless given. */
  readonly limiter?: Limiter;
  /** How long one call may take before its outcome is unknown. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly fetch?: typeof globalThis.fetch;
  /** Told of every sending, failed ones and repeats included. */
  readonly onCall?: (call: CallRecord) => void;
  /** Jitter of the pauses, in [0, 1); `Math.random` unless told. */
  readonly random?: () => number;
}

/** All that planning gets of the service: it cannot write, because it holds nothing that could. */
export interface ServiceReader {
  readonly users: UsersReader;
  readonly countries: CountriesReader;
  readonly tags: TagsReader;
  readonly customers: CustomersReader;
  readonly projects: ProjectsReader;
}

/** Given to `apply` alone. */
export interface ServiceWriter {
  readonly users: UsersWriter;
  readonly countries: CountriesWriter;
  readonly tags: TagsWriter;
  readonly customers: CustomersWriter;
  readonly projects: ProjectsWriter;
}

export interface TalentService {
  readonly reader: ServiceReader;
  readonly writer: ServiceWriter;
  /** Calls sent so far: a fresh picture at each look. */
  readonly calls: CallCounts;
  /** The limiter now: a fresh picture at each look. With a given limiter it is of all that share it. */
  readonly limiter: LimiterStats;
  /** Resolves when the sockets are closed; calls under way are finished first. */
  close(): Promise<void>;
}

export function createTalentService(options: TalentServiceOptions): TalentService {
  const { baseUrl, clock, rateLimit } = options;
  const ledger = createCallLedger();
  const limiter = options.limiter ?? createServiceLimiter(rateLimit, clock);
  const transport = createTransport({
    baseUrl,
    apiKey: options.apiKey,
    timeoutMs: options.timeoutMs,
    connections: concurrencyOf(rateLimit),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  const call = createCaller({
    baseUrl,
    transport,
    limiter,
    retry: createRetry({ clock, random: options.random ?? Math.random }),
    clock,
    onCall: (record) => {
      ledger.record(record);
      options.onCall?.(record);
    },
  });

  return {
    reader: {
      users: createUsersReader(call),
      countries: createCountriesReader(call),
      tags: createTagsReader(call),
      customers: createCustomersReader(call),
      projects: createProjectsReader(call),
    },
    writer: {
      users: createUsersWriter(call),
      countries: createCountriesWriter(call),
      tags: createTagsWriter(call),
      customers: createCustomersWriter(call),
      projects: createProjectsWriter(call),
    },
    get calls() {
      return ledger.counts();
    },
    get limiter() {
      return limiter.stats();
    },
    close: () => transport.close(),
  };
}

/**
 * The limiter of one account, to be given to several services, one after the other or side by side: what it found out
 * about the account's rate (spec, Limits: not shown) outlives each of them. It holds nothing that needs closing.
 */
export function createServiceLimiter(rateLimit: RateLimit, clock: Clock): Limiter {
  return createLimiter({ rateLimit, clock, readLimited });
}

function readLimited(error: unknown): { readonly retryAfterMs: number | null } | null {
  return error instanceof ServiceError && error.status === 429 ? { retryAfterMs: error.retryAfterMs } : null;
}
