import { type Clock, systemClock } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { Reads, Writes } from './answer.js';
import { Caller, type CallRecord, type FileCall, type WriteCall } from './call.js';
import { type CallCounts, CallLedger } from './call-ledger.js';
import { createConsultantsWriter } from './consultants.js';
import { createCountriesReader, createCountriesWriter } from './countries.js';
import { createCustomersReader, createCustomersWriter } from './customers.js';
import { createCvsReader, createCvsWriter } from './cvs.js';
import { createDocumentsReader } from './documents.js';
import { concurrencyOf, Limiter, type LimiterStats, type RateLimit } from './limiter.js';
import type { OpenSockets } from './open-sockets.js';
import { createProjectsReader, createProjectsWriter } from './projects.js';
import { createProposalsReader, createProposalsWriter } from './proposals.js';
import { createReadMemory } from './read-memory.js';
import type { ReportTools } from './report-wait.js';
import { createReportsReader } from './reports.js';
import { createRetry, RETRY_POLICY } from './retry.js';
import { ServiceError } from './service-error.js';
import { createTagsReader, createTagsWriter } from './tags.js';
import { createTransport } from './transport.js';
import { createUsersReader, createUsersWriter } from './users.js';

export { openHttpSockets } from '../base/http/http-sockets.js';
export type { SectionType } from '../model/sections.js';
export { SECTIONS } from '../model/sections.js';
export type { SectionFields, SectionUpdate } from './cv-sections.js';
export type { SearchClause } from './search-clauses.js';
export { matchAllTexts, matchAnyField, matchSkill, matchTag, matchText } from './search-clauses.js';
// This file is the package's `./service`: it exports everything that a caller needs, and nothing else.
export type { RetryAdvice } from './service-error.js';
export { ServiceError } from './service-error.js';
export type { ServiceFile } from './service-file.js';

/**
 * The typed client of the talent service: one function per endpoint, grouped by resource, with reads and writes
 * separate. `docs/reference/client.md` lists the functions; the spec is the service's own interface description.
 */
export interface TalentServiceOptions {
  /** The company's own address, without a path, for example `https://acme.example.com`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The known limits of the account; by default the client detects them (spec, Limits: not shown). */
  readonly rateLimit?: RateLimit;
  /** A limiter shared with other clients of the same account; by default a new one, created from `rateLimit`. */
  readonly limiter?: Limiter;
  /** How long one call may be rate-limited, in milliseconds from its first 429; 900,000 by default. */
  readonly giveUpAfterMs?: number;
  /** How long one call may take before its outcome is unknown, and how long a file may stall, in milliseconds; 30,000 by default. */
  readonly timeoutMs?: number;
  /** Maximum size of one answer after decompression; by default 64 MiB, and 256 MiB for a list without pages. */
  readonly maxAnswerBytes?: number | null;
  /** The system clock by default. */
  readonly clock?: Clock;
  readonly fetch?: typeof globalThis.fetch;
  /** Replaces `fetch`; `openHttpSockets` is Node's own HTTP client. */
  readonly openSockets?: OpenSockets;
  /** The variable of a proxy that is not used; the error mentions it if no connection can be made. */
  readonly unusedProxy?: string | null;
  /** Called for every attempt, including failed and repeated ones. */
  readonly onCall?: (call: CallRecord) => void;
  /** Awaited right before each attempt of a write; if it throws, the call is not sent. */
  readonly beforeWrite?: () => Promise<void>;
  /** Jitter of the pauses, in [0, 1); `Math.random` by default. */
  readonly random?: () => number;
}

/** The part of the service that planning gets. It has no function that writes. */
export interface ServiceReader {
  readonly users: ReturnType<typeof createUsersReader>;
  readonly countries: ReturnType<typeof createCountriesReader>;
  readonly tags: ReturnType<typeof createTagsReader>;
  readonly customers: ReturnType<typeof createCustomersReader>;
  readonly projects: ReturnType<typeof createProjectsReader>;
  readonly cvs: ReturnType<typeof createCvsReader>;
  readonly proposals: ReturnType<typeof createProposalsReader>;
  readonly reports: ReturnType<typeof createReportsReader>;
  readonly documents: ReturnType<typeof createDocumentsReader>;
}

/** The part of the service that only `apply` gets. */
export interface ServiceWriter {
  readonly users: ReturnType<typeof createUsersWriter>;
  readonly countries: ReturnType<typeof createCountriesWriter>;
  readonly tags: ReturnType<typeof createTagsWriter>;
  readonly customers: ReturnType<typeof createCustomersWriter>;
  readonly projects: ReturnType<typeof createProjectsWriter>;
  readonly cvs: ReturnType<typeof createCvsWriter>;
  readonly consultants: ReturnType<typeof createConsultantsWriter>;
  readonly proposals: ReturnType<typeof createProposalsWriter>;
}

export interface TalentService {
  readonly reader: ServiceReader;
  /** Readers like `reader`, for the reads before a plan: `planning` does not repeat the reads that `resuming` already sent. */
  readonly resuming: ServiceReader;
  readonly planning: ServiceReader;
  readonly writer: ServiceWriter;
  /** The number of calls so far; a new snapshot on each access. */
  readonly calls: CallCounts;
  /** The current state of the limiter; a new snapshot on each access. A shared limiter counts the calls of all its users. */
  readonly limiter: LimiterStats;
  /** Resolves when the sockets are closed; open calls finish first. */
  close(): Promise<void>;
}

const UNKNOWN_RATE: RateLimit = { requestsPerSecond: null, perMinute: null, concurrency: null };
const DEFAULT_TIMEOUT_MS = 30_000;

export function createTalentService(options: TalentServiceOptions): TalentService {
  const { clock = systemClock, rateLimit = UNKNOWN_RATE } = options;
  const baseUrl = readBaseUrl(options.baseUrl);
  const ledger = new CallLedger();
  const limiter = options.limiter ?? createServiceLimiter(rateLimit, clock);
  const transport = createTransport({
    baseUrl,
    apiKey: options.apiKey,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxAnswerBytes: options.maxAnswerBytes ?? null,
    unusedProxy: options.unusedProxy ?? null,
    connections: concurrencyOf(rateLimit),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    ...(options.openSockets === undefined ? {} : { openSockets: options.openSockets }),
  });
  const caller = new Caller({
    baseUrl,
    transport,
    limiter,
    retry: createRetry({
      clock,
      random: options.random ?? Math.random,
      policy: { ...RETRY_POLICY, giveUpAfterMs: options.giveUpAfterMs ?? RETRY_POLICY.giveUpAfterMs },
    }),
    clock,
    beforeWrite: options.beforeWrite ?? null,
    onCall: (record) => {
      ledger.record(record);
      options.onCall?.(record);
    },
  });
  const memory = createReadMemory(caller.call);
  const tools = { call: caller.call, open: caller.open, openLink: caller.openLink, clock, baseUrl };
  return {
    reader: buildReader(tools),
    resuming: buildReader({ ...tools, call: memory.keeping }),
    planning: buildReader({ ...tools, call: memory.taking }),
    writer: buildWriter(caller.call),
    get calls() {
      return ledger.counts();
    },
    get limiter() {
      return limiter.stats();
    },
    close: () => transport.close(),
  };
}

function buildReader(tools: ReportTools & { readonly open: FileCall }): ServiceReader {
  const { open, baseUrl } = tools;
  const read = new Reads(tools.call);
  return {
    users: createUsersReader(read),
    countries: createCountriesReader(read),
    tags: createTagsReader(read),
    customers: createCustomersReader(read),
    projects: createProjectsReader(read),
    cvs: createCvsReader(read),
    proposals: createProposalsReader(read, baseUrl),
    reports: createReportsReader(tools),
    documents: createDocumentsReader(open),
  };
}

function buildWriter(call: WriteCall): ServiceWriter {
  const send = new Writes(call);
  return {
    users: createUsersWriter(send),
    countries: createCountriesWriter(send),
    tags: createTagsWriter(send),
    customers: createCustomersWriter(send),
    projects: createProjectsWriter(send),
    cvs: createCvsWriter(send),
    consultants: createConsultantsWriter(send),
    proposals: createProposalsWriter(send),
  };
}

/**
 * The limiter of one account, which several clients may share, one after the other or concurrently. It keeps the
 * detected rate of the account (spec, Limits: not shown) beyond the life of each client. It needs no closing.
 */
export function createServiceLimiter(rateLimit: RateLimit = UNKNOWN_RATE, clock: Clock = systemClock): Limiter {
  return new Limiter({ rateLimit, clock, readLimited });
}

/** fetch would only say "failed to parse", four times. */
function readBaseUrl(given: string): string {
  if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return given.replace(/\/+$/, '');
  throw new SyncError('SYNC_CONFIG_INVALID', {
    message: `The address of the service is '${given}', which is not an http or https address.`,
    place: 'baseUrl',
    remedy: "Give the company's own address with its scheme, as in https://acme.example.com.",
  });
}

function readLimited(error: unknown): { readonly retryAfterMs: number | null } | null {
  return error instanceof ServiceError && error.status === 429 ? { retryAfterMs: error.retryAfterMs } : null;
}
