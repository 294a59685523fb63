import type { AccountSettings, CustomFieldSettings, KeySettings } from './fixture.js';
import type { CodeMode } from './languages.js';
import type { SandboxClock } from './sandbox-clock.js';
import type { Store } from './store.js';

/** One account with everything in it: what handlers work on. */
export interface World {
  readonly account: AccountSettings;
  readonly keys: ReadonlyMap<string, KeySettings>;
  readonly customFields: readonly CustomField[];
  readonly store: Store;
  readonly clock: SandboxClock;
  /** Has the file of an accepted import processed later. */
  scheduleImport(importId: string, delayMs: number): void;
}

export interface CustomField extends CustomFieldSettings {
  readonly id: string;
  readonly option_ids: Readonly<Record<string, string>>;
}

/** A request after authentication. */
export interface Call {
  readonly key: KeySettings;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly mode: CodeMode;
  readonly contentType: string;
  readonly bytes: Buffer | undefined;
  /** The JSON body; undefined without one, or when it is not declared as JSON. */
  readonly body: unknown;
  readonly baseUrl: string;
}

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** `write`: refused to read-only keys, and run as one transaction. */
  readonly access: 'read' | 'write';
  readonly handle: (world: World, call: Call) => Answer;
}

/** A request that is answered with an error; thrown by handlers, which takes back what they wrote. */
export class Refusal extends Error {
  readonly status: number;
  readonly extras: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, extras: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.extras = extras;
  }
}

export function buildErrorBody(message: string, extras: Readonly<Record<string, unknown>> = {}): object {
  return { error: message, errors: [message], ...extras };
}

export const NO_CONTENT: Answer = { status: 204 };
