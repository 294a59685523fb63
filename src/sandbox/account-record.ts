import type { AccountSettings, KeySettings } from './fixture.js';
import type { CustomField } from './route.js';

/** Raised when stored documents change their form: older state files and dumps are refused rather than misread. */
export const STATE_FORM = 2;

/** An account apart from what is in it. */
export interface AccountRecord {
  readonly form: number;
  readonly account: AccountSettings;
  readonly keys: readonly KeySettings[];
  readonly customFields: readonly CustomField[];
  readonly secret: string;
}
