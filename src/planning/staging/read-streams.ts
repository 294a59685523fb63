import { asSyncError, type SyncError } from '../../base/errors.js';
import type { Connector } from '../../connectors/connector.js';
import type { ReadEvidence, RecordBatch, StandingRows } from '../../model/source.js';

/** The result for one stream: its evidence, or the error that prevented the read. */
export interface StreamRead {
  readonly source: string;
  readonly evidence: ReadEvidence | null;
  readonly error: SyncError | null;
}

/** How one entity uses the rows of one stream. */
export interface StreamUse {
  readonly stream: string;
  /** Streams that must be read to their end before this one begins. */
  readonly needs: readonly string[];
  /** Streams that should be read before this one, so that rows are in the same order in every run. */
  readonly follows: readonly string[];
  take(batch: RecordBatch): void;
  /** The unchanged rows of the stream, for this use; null if everything is read. */
  standing?(): StandingRows | null;
  /** Called once, before any later stream is read. */
  end?(read: StreamRead): void;
}

/**
 * Reads each stream once, several streams at the same time, and gives every batch to all its users. So all entities see
 * the same rows. A connector's stored position moves only after all users have taken everything before it.
 */
export async function readStreams(
  uses: readonly StreamUse[],
  connectors: ReadonlyMap<string, Connector>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, StreamRead>> {
  const waitsFor = orderStreams(uses);
  const reads = new Map<string, Promise<StreamRead>>();
  const readOnce = (stream: string): Promise<StreamRead> => {
    const read = reads.get(stream) ?? readNow(stream);
    reads.set(stream, read);
    return read;
  };

  async function readNow(stream: string): Promise<StreamRead> {
    await Promise.all([...(waitsFor.get(stream) ?? [])].map(readOnce));
    const connector = connectors.get(stream);
    if (connector === undefined) throw new Error(`no connector for ${stream}`);
    const users = uses.filter((use) => use.stream === stream);
    const take = (batch: RecordBatch): void => {
      for (const user of users) user.take(batch);
    };
    // A row that is unchanged for one entity may be new to another.
    const [only] = users.length === 1 ? users : [];
    const read = await connector.read(take, signal, only?.standing?.() ?? null).then(
      (evidence): StreamRead => ({ source: stream, evidence, error: null }),
      (error): StreamRead => ({ source: stream, evidence: null, error: asSyncError(error) }),
    );
    for (const user of users) user.end?.(read);
    return read;
  }

  const all = await Promise.all([...waitsFor.keys()].map(readOnce));
  return new Map(all.map((read) => [read.source, read]));
}

/** The streams that each stream waits for. A wait that would close a circle is left out; needs take precedence over order. */
function orderStreams(uses: readonly StreamUse[]): ReadonlyMap<string, ReadonlySet<string>> {
  const waitsFor = new Map(uses.map(({ stream }) => [stream, new Set<string>()] as const));
  const isBehind = (one: string, other: string): boolean =>
    one === other || [...(waitsFor.get(one) ?? [])].some((next) => isBehind(next, other));
  for (const kind of ['needs', 'follows'] as const) {
    for (const use of uses) {
      for (const other of use[kind]) if (!isBehind(other, use.stream)) waitsFor.get(use.stream)?.add(other);
    }
  }
  return waitsFor;
}
