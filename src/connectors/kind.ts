import type * as z from 'zod';
import type { Secret } from '../base/secrets/secret.js';
import type { Resolving, YamlPath } from '../base/settings/resolving.js';
import type { Json } from '../model/json.js';
import type { PushedReader } from '../model/pushed.js';
import type { Connector, ConnectorContext } from './connector.js';
import type { Credentials } from './http/credentials.js';
import type { HttpAccess } from './http/resolve-http.js';
import type { SourceWriter } from './source-writer.js';

/** What the program knows of streams of one kind. */
export interface StreamKind<Stream> {
  /** Why a column takes no value, for people; null where it takes one. */
  whyNotWritable(stream: Stream, column: string): string | null;
  /** Expressions over the rows, besides `prefer`, with their place in the stream. */
  listConditions?(stream: Stream): readonly { readonly at: YamlPath; readonly text: string }[];
  /** What decides which values are derived. It is kept and shown: never a secret, nor where the source is. */
  describeDeciding(stream: Stream): object;
  /**
   * What is read, without where and with which secret: a moved folder or a new password is the same source. How often a record was
   * missing is counted again when it changes: what is missing then may have been filtered out, or have another key.
   */
  describeAbsence(stream: Stream): readonly Json[];
  /** What reads and writes is loaded here: a command that loads a configuration knows every kind, and few use one. */
  createReader(name: string, stream: Stream, context: ReaderContext): Promise<Connector>;
  /** null where the configuration lets nothing be written to the stream. */
  createWriter(name: string, stream: Stream, context: WriterContext): Promise<SourceWriter | null>;
}

/**
 * All that the program knows of one kind of source. Nothing outside of its folder asks which kind a source is: what differs is
 * asked of this record.
 *
 * @template Source as configured; a source of several streams has them under `streams`, any other is its own stream
 */
export interface SourceKind<Input, Source, Stream> extends StreamKind<Stream> {
  /** How the configuration names it. */
  readonly type: string;
  /** What may be written of it, with `type` as a literal. */
  readonly schema: z.ZodObject;
  /** From what is written to what is used. A secret is read by `resolving.readSecret` alone: as a `Secret` nothing prints it. */
  resolve(path: YamlPath, input: Input, resolving: Resolving): Source;
  /** What is said of a `write_back` that is in the source itself, where it means nothing there. */
  readonly strayWriteBack?: readonly [message: string, remedy: string];
  /** Why none of its streams can ever be written to, and what to do instead. */
  readonly closed?: readonly [because: string, remedy: string];
  /** Of a source that is pushed into: how it is reached. */
  findReceiver?(source: Source): Receiver;
}

export interface ReaderContext extends ConnectorContext {
  /** What was pushed into sources that are. */
  readonly pushed: PushedReader;
  /** One token lets in all streams of a source. */
  readonly shareCredentials: (access: HttpAccess) => Credentials;
  /** Names of files in the folder of a stream that belong to other streams, or that are written there. */
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
  /** Without a slash at its end; null: as the client wrote it. */
  readonly baseUrl: string | null;
  /** Addresses and CIDR ranges of proxies whose word on who called them is taken. */
  readonly trustedProxies: readonly string[];
}
