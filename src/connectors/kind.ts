import type * as z from 'zod';
import type { Secret } from '../base/secrets/secret.js';
import type { Resolving, YamlPath } from '../base/settings/resolving.js';
import type { Json } from '../model/json.js';
import type { PushedReader } from '../model/pushed.js';
import type { Connector, ConnectorContext } from './connector.js';
import type { Credentials } from './http/credentials.js';
import type { HttpAccess } from './http/resolve-http.js';
import type { SourceWriter } from './source-writer.js';

/** How the program handles streams of one kind. */
export interface StreamKind<Stream> {
  /** Why a column cannot be written, for people; null if it can. */
  whyNotWritable(stream: Stream, column: string): string | null;
  /** Expressions over the rows, other than `prefer`, with their place in the stream. */
  listConditions?(stream: Stream): readonly { readonly at: YamlPath; readonly text: string }[];
  /** The settings that decide which values are derived. They are stored and shown, so they include no secrets and no location. */
  describeDeciding(stream: Stream): object;
  /**
   * The settings that decide what is read, without its location and secrets: a moved folder or a new password is the same source. When
   * they change, absences are counted from the start: a missing record may have been filtered out, or have another key.
   */
  describeAbsence(stream: Stream): readonly Json[];
  /** Loads the code that reads and writes: a command that loads a configuration knows every kind, and few commands use one. */
  createReader(name: string, stream: Stream, context: ReaderContext): Promise<Connector>;
  /** null if the configuration does not allow writing to the stream. */
  createWriter(name: string, stream: Stream, context: WriterContext): Promise<SourceWriter | null>;
}

/**
 * Everything the program knows about one kind of source. Code outside its folder never asks which kind a source is: it asks this record
 * for anything that differs.
 *
 * @template Source as configured; a source of several streams has them under `streams`, any other is its own stream
 */
export interface SourceKind<Input, Source, Stream> extends StreamKind<Stream> {
  /** The value of `type` in the configuration. */
  readonly type: string;
  /** The schema of its configuration, with `type` as a literal. */
  readonly schema: z.ZodObject;
  /** Converts the written configuration to its resolved form. Only `resolving.readSecret` reads secrets: nothing prints a `Secret`. */
  resolve(path: YamlPath, input: Input, resolving: Resolving): Source;
  /** The problem to report if `write_back` is in the source itself, where it means nothing. */
  readonly strayWriteBack?: readonly [message: string, remedy: string];
  /** Why none of its streams can ever be written to, and what to do instead. */
  readonly closed?: readonly [because: string, remedy: string];
  /** How a source that is pushed into is reached. */
  findReceiver?(source: Source): Receiver;
}

export interface ReaderContext extends ConnectorContext {
  /** Reads the people pushed into a source. */
  readonly pushed: PushedReader;
  /** All streams of a source share one token. */
  readonly shareCredentials: (access: HttpAccess) => Credentials;
  /** Patterns of files in the folder of a stream that belong to other streams, or that are written there. */
  readonly listPatternsBeside: (stream: string) => readonly string[];
}

export interface WriterContext extends ConnectorContext {
  /** The columns of a stream that any mapping writes back. */
  readonly listWritten: (stream: string) => readonly string[];
}

/** How a source that is pushed into is reached. */
export interface Receiver {
  readonly tokens: readonly Secret[];
  readonly key: string;
  /** Without a trailing slash; null: as the client wrote it. */
  readonly baseUrl: string | null;
  /** Addresses and CIDR ranges of proxies that are trusted to report the caller. */
  readonly trustedProxies: readonly string[];
}
