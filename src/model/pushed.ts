import type { JsonObject } from './json.js';

/** A resource that an identity provider has pushed: its attributes by their SCIM names, and its metadata. */
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
  /** A member that was never pushed itself has neither type nor name. */
  readonly members: readonly {
    readonly id: string;
    readonly type: 'User' | 'Group' | null;
    readonly display: string | null;
  }[];
}

/** One page of the people in a source. */
export interface PushedPage {
  readonly users: readonly PushedUser[];
  /** Start of the next page; null after the last. */
  readonly next: number | null;
}

/** The data that is kept of a deleted person: the key that identifies the record. */
export interface PushedGone {
  readonly id: string;
  readonly key: string;
}

export interface PushedCounts {
  readonly users: number;
  readonly groups: number;
  /** ISO 8601: the time of the last push; null before the first one. */
  readonly lastPush: string | null;
}

/** Read access to the people of push sources, for the connector. */
export interface PushedReader {
  readUsers(source: string, from: number, limit: number): PushedPage;
  /** @param keyColumn the column that was the key when they were deleted */
  readGone(source: string, keyColumn: string): readonly PushedGone[];
  count(source: string): PushedCounts;
}
