import type { Store } from '../store/store.js';
import type { AccountSettings, CustomFieldSettings, KeySettings } from './account-settings.js';
import type { SandboxClock } from './sandbox-clock.js';

/** One account with everything in it: what handlers work on. */
export interface World {
  readonly account: AccountSettings;
  readonly keys: ReadonlyMap<string, KeySettings>;
  readonly customFields: readonly CustomField[];
  readonly store: Store;
  readonly clock: SandboxClock;
  /** Signs the links to files. */
  readonly secret: string;
  /** Document exports have a limit of their own. `take` returns the seconds to wait, undefined for none. */
  readonly downloads: { take(nowMs: number): number | undefined };
  /** Has the file of an accepted import processed later. */
  scheduleImport(importId: string, delayMs: number): void;
  /** Has a started report made in the background. */
  scheduleReport(reportId: string): void;
}

export interface CustomField extends CustomFieldSettings {
  readonly id: string;
  readonly option_ids: Readonly<Record<string, string>>;
}
