import type { Store } from '../store/store.js';
import type { AccountSettings, CustomFieldSettings, KeySettings } from './account-settings.js';
import type { SandboxClock } from './sandbox-clock.js';

/** One account with all the data that handlers use. */
export interface World {
  readonly account: AccountSettings;
  readonly keys: ReadonlyMap<string, KeySettings>;
  readonly customFields: readonly CustomField[];
  readonly store: Store;
  readonly clock: SandboxClock;
  /** The key for signing links to files. */
  readonly secret: string;
  /** The limit of document exports. `take` returns the seconds to wait, or undefined if the export may start now. */
  readonly downloads: { take(nowMs: number): number | undefined };
  scheduleImport(importId: string, delayMs: number): void;
  scheduleReport(reportId: string): void;
}

export interface CustomField extends CustomFieldSettings {
  readonly id: string;
  readonly option_ids: Readonly<Record<string, string>>;
}
