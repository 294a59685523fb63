import type { Readable } from 'node:stream';
import type { SandboxClock } from '../account/sandbox-clock.js';
import type { CodeMode } from '../fields/languages.js';
import type { AccountSettings, CustomFieldSettings, KeySettings } from '../fixture/fixture.js';
import type { Store } from '../store/store.js';

/** One account with everything in it: what handlers work on. */
export interface World {
  readonly account: AccountSettings;
  readonly keys: ReadonlyMap<string, KeySettings>;
  readonly customFields: readonly CustomField[];
  readonly store: Store;
  readonly clock: SandboxClock;
  /** What signed links are signed with. */
  readonly secret: string;
  /** Document exports have a limit of their own. */
  readonly downloads: DownloadLimit;
  /** Has the file of an accepted import processed later. */
  scheduleImport(importId: string, delayMs: number): void;
  /** Has a started report made in the background. */
  scheduleReport(reportId: string): void;
}

/** Undefined when the download may go on, else whole seconds until it is worth trying again. */
export interface DownloadLimit {
  take(nowMs: number): number | undefined;
}

export interface CustomField extends CustomFieldSettings {
  readonly id: string;
  readonly option_ids: Readonly<Record<string, string>>;
}

/** A request after authentication. */
export interface Call {
  readonly world: World;
  readonly key: KeySettings;
  /** The user that the key acts for; undefined for an API user. */
  readonly userId: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly mode: CodeMode;
  readonly contentType: string;
  /** Of a multipart body. */
  readonly boundary: string | undefined;
  readonly bytes: Buffer | undefined;
  /** The JSON body; undefined without one, or when it is not declared as JSON. */
  readonly body: unknown;
  readonly baseUrl: string;
}

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the JSON body of a 200; nothing is a 204. What is rendered comes later. */
export type CallHandler = (call: Call) => object | undefined | Promise<OtherAnswer>;

export interface AnsweredFile {
  /** A large file comes as a stream. */
  readonly bytes: Buffer | Readable;
  /** Bytes; of a stream. */
  readonly size?: number;
  readonly contentType: string;
  readonly name: string;
  /** More headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a handler returns where the answer has no JSON body: a file, or a redirect. */
export class OtherAnswer {
  readonly file: AnsweredFile | undefined;
  readonly location: string | undefined;

  constructor({ file, location }: Partial<OtherAnswer>) {
    this.file = file;
    this.location = location;
  }
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /**
   * `write` is refused to read-only keys, and runs as one transaction. A `signed` link carries its own permission, and
   * comes from a store of files that the rate limit does not guard.
   */
  readonly access: 'read' | 'write' | 'signed';
  readonly handle: CallHandler;
}

/** A request that is answered with an error; thrown by handlers, which takes back what they wrote. */
export class Refusal extends Error {
  readonly status: number;
  readonly extras: Readonly<Record<string, unknown>>;
  /** Whole seconds, on a 429. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    message: string,
    extras: Readonly<Record<string, unknown>> = {},
    retryAfter: number | undefined = undefined,
  ) {
    super(message);
    this.status = status;
    this.extras = extras;
    this.retryAfter = retryAfter;
  }
}

export function refuse(status: number, message: string, extras: Readonly<Record<string, unknown>> = {}): never {
  throw new Refusal(status, message, extras);
}

export function buildErrorBody(message: string, extras: Readonly<Record<string, unknown>> = {}): object {
  return { error: message, errors: [message], ...extras };
}
