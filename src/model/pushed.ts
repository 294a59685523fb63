import type { JsonObject } from './json.js';

/** What an identity provider has pushed: its own attributes by their names in the SCIM schema, and what is known of it. */
interface Pushed {
  readonly id: string;
  readonly attributes: JsonObject;
  /** ISO 8601. */
  readonly created: string;
  readonly modified: string;
  readonly version: number;
}

export interface PushedUser extends Pushed {
  readonly groups: readonly { readonly id: string; readonly display: string }[];
}

export interface PushedGroup extends Pushed {
  /** Members whom nobody has pushed have neither type nor name. */
  readonly members: readonly {
    readonly id: string;
    readonly type: 'User' | 'Group' | null;
    readonly display: string | null;
  }[];
}

/** One page of a source's people. */
export interface PushedPage {
  readonly users: readonly PushedUser[];
  /** Where the next page begins; null after the last. */
  readonly next: number | null;
}

/** What is left of a person who was deleted: the key by which a record is known. */
export interface PushedGone {
  readonly id: string;
  readonly key: string;
}

export interface PushedCounts {
  readonly users: number;
  readonly groups: number;
  /** When something was pushed last, ISO 8601; null before the first time. */
  readonly lastPush: string | null;
}

/** The people of push sources as the connector reads them. */
export interface PushedReader {
  readUsers(source: string, from: number, limit: number): PushedPage;
  /** @param keyColumn the column that was the key when they were deleted */
  readGone(source: string, keyColumn: string): readonly PushedGone[];
  count(source: string): PushedCounts;
}
