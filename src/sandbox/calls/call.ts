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
  /** The JSON body; undefined if there is no body or it is not declared as JSON. */
  readonly body: unknown;
  readonly baseUrl: string;
  /**
   * True if the request was not sent by a client, but with the control key or from a page. Such requests do not count towards
   * limits.
   */
  readonly isOtherHands: boolean;
}

/** Returns the JSON body of a 200, or undefined for a 204. Documents are returned as a promise, because rendering takes time. */
export type CallHandler = (call: Call) => object | undefined | Promise<OtherAnswer>;

export interface AnsweredFile {
  /** The bytes of a file; a stream if the file is large. */
  readonly bytes: Buffer | Readable;
  /** Size of a stream in bytes. */
  readonly size?: number;
  readonly contentType: string;
  readonly name: string;
  /** The file name in ASCII without its extension, used if `name` contains letters without an ASCII equivalent. */
  readonly standIn: string;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returned by a handler for a response that has no JSON body: a file or a redirect. */
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
   * `write` routes reject read-only keys and run as one transaction. A `signed` link grants access itself. The rate limit does
   * not apply to it, because the service keeps files in separate storage.
   */
  readonly access: 'read' | 'write' | 'signed';
  readonly handle: CallHandler;
}
