import { createHash, type Hash } from 'node:crypto';
import { isoNow } from '../../clock.js';
import { SyncError } from '../../errors.js';
import { type ReadEvidence, tellOverlooked, tellUnreadableNames } from '../../model/source.js';
import type { Connector, ConnectorContext, TakeBatch } from '../connector.js';
import { decodeFile } from '../formats/decode.js';
import { watchHeap } from '../listing/lean-heap.js';
import { buildRowSink, judgeCompleteness, type RowSink } from '../rows/row-sink.js';
import { type DropFile, openNewestFiles } from './drop-folder.js';
import { refuseUnsettled } from './faults.js';
import { judgeRows } from './judge-rows.js';
import { checkManifest } from './manifest.js';
import { openDropStore } from './open-store.js';
import { describeMemory, putAwayOlder } from './put-away.js';
import { createRejectList, type RejectList } from './reject-list.js';
import type { FileStreamConfig } from './resolve-file-stream.js';

/** The decoded text of a delivery: UTF-8 chunks that never cut a character. To be read to its end: the digest is over all of it. */
export interface DropText {
  readonly at: string;
  /** Size of the file in bytes. */
  readonly size: number;
  text(): AsyncGenerator<Buffer>;
}

/** What tells one file format from another. Resolves to why the file was not seen whole, null when it was. */
export type RowsReader = (file: DropText, sink: RowSink) => Promise<string | null>;

export interface DropSource {
  readonly name: string;
  readonly drop: FileStreamConfig;
  readonly encoding: string | null;
  /** Chosen when the file is known: a folder may hold several formats. */
  readonly chooseReader: (at: string) => RowsReader;
}

/** A connector for files dropped in a folder: find the newest, read it once, make sure it did not change meanwhile. */
export function createDropConnector(source: DropSource, context: ConnectorContext): Connector {
  const { mayBeEmpty } = source.drop;
  let lastRead: {
    readonly name: string;
    readonly delivery: string;
    readonly rejected: RejectList;
    readonly total: number;
  } | null = null;

  async function read(take: TakeBatch, signal?: AbortSignal): Promise<ReadEvidence> {
    const readAt = isoNow(context.clock);
    const store = openDropStore(source.drop, context, signal);
    let files: readonly DropFile[] = [];
    const heap = watchHeap();
    try {
      const found = await openNewestFiles({ ...source.drop, source: source.name, store, context }, signal);
      files = found.files;
      const { rules } = source.drop;
      const rejected = createRejectList();
      const sink = buildRowSink((batch) => {
        rejected.note(batch.rejected);
        take(batch);
      });
      const hash = createHash('sha256');
      let because: string | null = null;
      for (const file of files) because = (await readWhole(file, sink, hash, heap.look, signal)) ?? because;
      for (const file of files) await file.assertUnchanged();
      const digest = hash.digest('hex');
      const at = files.map((file) => file.at).join(' + ');
      const delivery = files.map((file) => file.delivery).join(' + ');
      sink.flush();
      judgeRows(rules, { source: source.name, at, counts: sink.counts, digest }, context.deliveries);
      lastRead = { name: files[0]?.name ?? '', delivery, rejected, total: sink.counts.rejected };
      const incompleteBecause = judgeCompleteness(sink.counts, because, mayBeEmpty);
      return {
        source: source.name,
        delivery,
        kind: 'drop',
        at,
        readAt,
        rows: sink.counts.rows,
        rejected: sink.counts.rejected,
        complete: incompleteBecause === null,
        ...(incompleteBecause === null ? {} : { incompleteBecause }),
        digest,
        ...(found.overlooked === null ? {} : { overlooked: found.overlooked }),
        ...(found.unreadable === null ? {} : { unreadableNames: found.unreadable }),
        ...describeMemory(context.deliveries, source.name, rules, { delivery, digest, nowMs: context.clock.now() }),
      };
    } finally {
      heap.release();
      for (const file of files) await file.close();
      await store.close();
    }
  }

  async function readWhole(...[file, ...rest]: Parameters<typeof readFile>): Promise<string | null> {
    try {
      return await readFile(file, ...rest);
    } catch (error) {
      const isCut = error instanceof SyncError && error.code === 'SYNC_SOURCE_CUT';
      throw isCut && file.isYoung ? refuseUnsettled(file.at) : error;
    }
  }

  /** One file of the delivery; answers why it was not seen whole, null when it was. */
  async function readFile(
    file: DropFile,
    sink: RowSink,
    delivery: Hash,
    onChunk: () => void,
    signal: AbortSignal | undefined,
  ): Promise<string | null> {
    // A format that has neither header nor brackets is empty in no other way.
    if (file.size === 0 && !mayBeEmpty) throw refuseEmpty(file.at);
    const own = createHash('sha256');
    const before = sink.counts.rows;
    const onBytes = (chunk: Buffer): void => {
      signal?.throwIfAborted();
      onChunk();
      sink.noteBytes(chunk.length);
      delivery.update(chunk);
      // A second hash only where somebody asks for it.
      if (file.manifest !== null) own.update(chunk);
    };
    const because = await source.chooseReader(file.at)(
      { at: file.at, size: file.size, text: () => decodeFile(file, source.encoding, onBytes) },
      sink,
    );
    const found = { rows: sink.counts.rows - before, sha256: own.digest('hex') };
    if (file.manifest !== null) checkManifest(file.manifest, found, file.at);
    return because;
  }

  async function settle({ delivery }: ReadEvidence, signal?: AbortSignal): Promise<void> {
    const { rules } = source.drop;
    if (lastRead?.delivery !== delivery || (rules.after === 'leave' && rules.rejects === null)) return;
    const { name, rejected, total } = lastRead;
    const store = openDropStore(source.drop, context, signal);
    try {
      if (rules.rejects !== null) await rejected.write(store, rules.rejects, name, total);
      await putAwayOlder(store, source.drop, name, (one) => context.deliveries.isTaken(source.name, one));
    } finally {
      await store.close();
    }
  }

  return {
    name: source.name,
    mayBeEmpty,
    read,
    settle,
    // Nothing is taken by reading, so the probe reads the whole file: only that proves its header and every cell.
    probe: async (signal) => {
      const evidence = await read(() => {}, signal);
      const doubt = evidence.incompleteBecause === undefined ? '' : `; incomplete: ${evidence.incompleteBecause}`;
      const missed = evidence.overlooked === undefined ? '' : `; ${tellOverlooked(evidence.overlooked)}`;
      const odd = evidence.unreadableNames === undefined ? '' : `; ${tellUnreadableNames(evidence.unreadableNames)}`;
      return { at: evidence.at, detail: `${evidence.rows} rows, ${evidence.rejected} rejected${doubt}${missed}${odd}` };
    },
    close: async () => {},
  };
}

function refuseEmpty(at: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: 'The file has no content, zero bytes.',
    place: at,
    remedy: 'Have the export delivered again: an export without people still has a header.',
  });
}
