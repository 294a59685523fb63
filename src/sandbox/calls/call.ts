import type { Readable } from 'node:stream';
import type { KeySettings } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import type { CodeMode } from '../fields/languages.js';
import type { Query } from '../fields/values.js';

/** An authenticated request. */
export interface Call {
  readonly world: World;
  readonly key: KeySettings;
  /** The user that the key acts for; undefined for an API user. */
  readonly userId: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly mode: CodeMode;
  readonly contentType: string;
  readonly boundary: string | undefined;
  readonly bytes: Buffer | undefined;
  /** The JSON body; undefined if there is none, or it is not declared as JSON. */
  readonly body: unknown;
  readonly baseUrl: string;
  /** Sent by somebody else than a client, with the control key or on a page: no limit counts it. */
  readonly isOtherHands: boolean;
}

/** Returns the JSON body of a 200, or undefined for a 204. A promise is used for documents, which take time to render. */
export type CallHandler = (call: Call) => object | undefined | Promise<OtherAnswer>;

export interface AnsweredFile {
  /** A large file is a stream. */
  readonly bytes: Buffer | Readable;
  /** Size of a stream in bytes. */
  readonly size?: number;
  readonly contentType: string;
  readonly name: string;
  /** Its name in ASCII, without the ending, if letters of `name` have no counterpart there. */
  readonly standIn: string;
  /** More headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returned by a handler for a response without JSON body: a file or a redirect. */
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
   * `write` routes reject read-only keys, and run as one transaction. A `signed` link carries its own permission; the rate
   * limit does not apply to it, because files come from separate storage.
   */
  readonly access: 'read' | 'write' | 'signed';
  readonly handle: CallHandler;
}
