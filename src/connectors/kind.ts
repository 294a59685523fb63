import type * as z from 'zod';
import type { Secret } from '../base/secrets/secret.js';
import type { Resolving, YamlPath } from '../base/settings/resolving.js';
import type { Json } from '../model/json.js';
import type { PushedReader } from '../model/pushed.js';
import type { Connector, ConnectorContext } from './connector.js';
import type { Credentials } from './http/credentials.js';
import type { HttpAccess } from './http/resolve-http.js';
import type { SourceWriter } from './source-writer.js';

/** The functions for streams of one kind. */
export interface StreamKind<Stream> {
  /** Returns the reason why a column cannot be written, for messages; null if it can. */
  whyNotWritable(stream: Stream, column: string): string | null;
  /** Lists the expressions over rows other than `prefer`, with their place in the stream. */
  listConditions?(stream: Stream): readonly { readonly at: YamlPath; readonly text: string }[];
  /**
   * Returns the settings that decide which values are derived. They are stored and shown, so they contain no secrets and
   * no location.
   */
  describeDeciding(stream: Stream): object;
  /**
   * Returns the settings that decide which records are read. They contain no location and no secrets, because a moved
   * folder or a new password does not change the source. When these settings change, absences are counted from the
   * start, because a missing record may have been filtered out or have a different key.
   */
  describeAbsence(stream: Stream): readonly Json[];
  /**
   * Creates the connector. The code for reading is loaded only here, because every command knows all kinds but few
   * commands read sources.
   */
  createReader(name: string, stream: Stream, context: ReaderContext): Promise<Connector>;
  /** Creates the writer; null if the configuration does not allow writing to the stream. */
  createWriter(name: string, stream: Stream, context: WriterContext): Promise<SourceWriter | null>;
}

/**
 * The definition of one kind of source. Code outside its folder never checks the kind of a source, but uses this
 * definition for all differences.
 *
 * @template Source the configured source. Several streams are under `streams`; a source with a single stream is the
 * stream itself.
 */
export interface SourceKind<Input, Source, Stream> extends StreamKind<Stream> {
  /** The value of `type` in the configuration. */
  readonly type: string;
  /** The schema of the configuration, with `type` as a literal. */
  readonly schema: z.ZodObject;
  /**
   * Converts the written configuration to its resolved form. Only `resolving.readSecret` reads secrets. It returns a
   * `Secret`, which is never printed.
   */
  resolve(path: YamlPath, input: Input, resolving: Resolving): Source;
  /** The problem to report if `write_back` is in the source itself, where it has no effect. */
  readonly strayWriteBack?: readonly [message: string, remedy: string];
  /** The reason why no stream of this kind can be written to, and the remedy. */
  readonly closed?: readonly [because: string, remedy: string];
  /** Returns the settings for receiving pushes to a source. */
  findReceiver?(source: Source): Receiver;
}

export interface ReaderContext extends ConnectorContext {
  /** Reads the people that were pushed to a source. */
  readonly pushed: PushedReader;
  /** Returns the credentials that all streams of a source share. */
  readonly shareCredentials: (access: HttpAccess) => Credentials;
  /** Returns the patterns of the other files in a stream's folder: files of other streams and written files. */
  readonly listPatternsBeside: (stream: string) => readonly string[];
}

export interface WriterContext extends ConnectorContext {
  /** Returns the columns of a stream that any mapping writes back. */
  readonly listWritten: (stream: string) => readonly string[];
}

/** The settings for receiving pushes to a source. */
export interface Receiver {
  readonly tokens: readonly Secret[];
  readonly key: string;
  /** The address without a trailing slash; null for the address in the client's request. */
  readonly baseUrl: string | null;
  /** Addresses and CIDR ranges of proxies that are trusted to report the client's address. */
  readonly trustedProxies: readonly string[];
}
