import * as z from 'zod';
import type { ProblemSink } from '../base/settings/resolving.js';
import { listStreams, type NamedStream, type StreamOf } from '../model/stream.js';
import { CRM } from './crm/kind.js';
import { CSV } from './csv/kind.js';
import { checkFolders } from './drop/check-folders.js';
import type { FileStreamConfig } from './drop/resolve-file-stream.js';
import { HRIS } from './hris/kind.js';
import { JSON_FILES } from './json/kind.js';
import type { SourceKind } from './kind.js';
import { SCIM } from './scim/kind.js';
import { SCIM_PUSH } from './scim-push/kind.js';

const ALL = [CSV, JSON_FILES, HRIS, SCIM, CRM, SCIM_PUSH] as const;

type Kind = (typeof ALL)[number];
export type SourceInput = z.infer<Kind['schema']>;
export type SourceConfig = ReturnType<Kind['resolve']>;
export type StreamConfig = StreamOf<SourceConfig>;
export type Sources = Readonly<Record<string, SourceConfig>>;

export const KINDS: readonly SourceKind<SourceInput, SourceConfig, StreamConfig>[] = ALL;

type SchemasOf<Kinds extends readonly { readonly schema: unknown }[]> = {
  readonly [Index in keyof Kinds]: Kinds[Index]['schema'];
};
export const sourceSchema = z.discriminatedUnion(
  'type',
  ALL.map(({ schema }) => schema) as unknown as SchemasOf<typeof ALL>,
);

/** Returns the kind of a source, an input or a stream. */
export function kindOf({ type }: { readonly type: string }): SourceKind<SourceInput, SourceConfig, StreamConfig> {
  const kind = KINDS.find((one) => one.type === type);
  if (kind === undefined) throw new Error(`no kind of source is called ${type}`);
  return kind;
}

/** True if an identity provider pushes people to one of the sources. */
export function receivesPushes(sources: Sources): boolean {
  return Object.values(sources).some((source) => kindOf(source).findReceiver?.(source) !== undefined);
}

/** True if a stream is read over HTTP and cannot report changes. */
export function readsAll(sources: Sources): boolean {
  return listStreams(sources).some(({ config }) =>
    'incremental' in config ? config.incremental === null : 'fullEveryMs' in config && config.fullEveryMs === null,
  );
}

/** Lists the streams that are delivered as files. */
export function listFileStreams(
  streams: readonly NamedStream<StreamConfig>[],
): readonly NamedStream<FileStreamConfig>[] {
  return streams.flatMap((stream) => {
    const { config } = stream;
    return 'drop' in config ? [{ ...stream, config }] : [];
  });
}

/** Runs the checks that need all streams together. */
export function checkTogether(streams: readonly NamedStream<StreamConfig>[], report: ProblemSink): void {
  checkFolders(listFileStreams(streams), report);
}
