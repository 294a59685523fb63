import type { Readable } from 'node:stream';
import type { KeySettings } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import type { CodeMode } from '../fields/languages.js';
import type { Query } from '../fields/values.js';

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
  /** The boundary of a multipart body. */
  readonly boundary: string | undefined;
  readonly bytes: Buffer | undefined;
  /** The JSON body; undefined without one, or when it is not declared as JSON. */
  readonly body: unknown;
  readonly baseUrl: string;
}

/** Returns the JSON body of a 200; nothing is a 204. A promise is for documents, which take time to render. */
export type CallHandler = (call: Call) => object | undefined | Promise<OtherAnswer>;

export interface AnsweredFile {
  /** A large file comes as a stream. */
  readonly bytes: Buffer | Readable;
  /** Bytes; of a stream. */
  readonly size?: number;
  readonly contentType: string;
  readonly name: string;
  /** Its name in ASCII, without the ending, if letters of `name` have no counterpart there. */
  readonly standIn: string;
  /** More headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A handler returns this where the answer has no JSON body: a file, or a redirect. */
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
   * `write` is not for read-only keys, and runs as one transaction. A `signed` link carries its own permission, and
   * comes from a store of files that the rate limit does not guard.
   */
  readonly access: 'read' | 'write' | 'signed';
  readonly handle: CallHandler;
}
