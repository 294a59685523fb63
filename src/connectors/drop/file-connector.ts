import { createHash } from 'node:crypto';
import { isoNow } from '../../base/clock.js';
import { SyncError } from '../../base/errors.js';
import { plural } from '../../model/plural.js';
import {
  describeFooter,
  describeOverlooked,
  describeUnreadableNames,
  type ReadEvidence,
  type StandingRows,
} from '../../model/source.js';
import type { Connector, ConnectorContext, TakeBatch } from '../connector.js';
import { chooseFormat } from '../formats/choose-format.js';
import { decodeFile } from '../formats/decode.js';
import { watchHeap } from '../listing/lean-heap.js';
import type { RowShape } from '../rows/records.js';
import { isKeylessAlone, judgeCompleteness, RowSink } from '../rows/row-sink.js';
import { type DropFile, type NewestFiles, openNewestFiles } from './drop-folder.js';
import { refuseUnsettled } from './faults.js';
import { judgeRows } from './judge-rows.js';
import { checkManifest } from './manifest.js';
import { openDropStore } from './open-store.js';
import { describeMemory, putAwayOlder } from './put-away.js';
import { RejectList } from './reject-list.js';
import type { FileStreamConfig } from './resolve-file-stream.js';

/**
 * Creates the connector for one stream of files in a drop folder, such as `hr` or `crm.companies`.
 *
 * @param others patterns of other files in the folder
 */
export function createFileConnector(
  name: string,
  config: FileStreamConfig,
  context: ConnectorContext,
  others: readonly string[] = [],
): Connector {
  return new FileConnector(name, config, context, others);
}

interface LastRead {
  readonly file: string;
  readonly delivery: string;
  readonly rejected: RejectList;
  /** The number of rejected rows, listed or not. */
  readonly total: number;
}

/** Finds the newest delivery, reads it once, and verifies that it did not change during the read. */
class FileConnector implements Connector {
  readonly mayBeEmpty: boolean;
  private readonly shape: RowShape;
  private lastRead: LastRead | null = null;

  constructor(
    readonly name: string,
    private readonly config: FileStreamConfig,
    private readonly context: ConnectorContext,
    private readonly others: readonly string[],
  ) {
    this.mayBeEmpty = config.mayBeEmpty;
    this.shape = { source: name, key: config.key, columns: config.columns, timezone: context.timezone };
  }

  async read(take: TakeBatch, signal?: AbortSignal, standing: StandingRows | null = null): Promise<ReadEvidence> {
    const { config, context } = this;
    const readAt = isoNow(context.clock);
    const store = openDropStore(config, context, signal);
    const heap = watchHeap();
    let found: NewestFiles | null = null;
    try {
      found = await openNewestFiles({ ...config, source: this.name, store, context, others: this.others }, signal);
      const rejected = new RejectList();
      const sink = new RowSink(
        (batch) => {
          rejected.note(batch.rejected);
          take(batch);
        },
        found.files.length === 1 ? standing : null,
      );
      let hash = createHash('sha256');
      const onBytes = (chunk: Buffer): void => {
        signal?.throwIfAborted();
        heap.look();
        sink.noteBytes(chunk.length);
        hash.update(chunk);
      };
      let because: string | null = null;
      const [only] = found.files;
      if (only !== undefined && this.mayStand(only, sink.standing)) {
        for await (const chunk of only.bytes()) onBytes(chunk);
      }
      if (only === undefined || !takeStanding(only, sink, hash.copy().digest('hex'))) {
        hash = createHash('sha256');
        for (const file of found.files) because = (await this.readFile(file, sink, onBytes)) ?? because;
      }
      for (const file of found.files) await file.assertUnchanged();
      sink.flush();
      const evidence = this.buildEvidence(found, sink, because, hash.digest('hex'));
      const passed = judgeRows(config, evidence, sink.counts, context.deliveries);
      this.lastRead = {
        file: found.files[0]?.name ?? '',
        delivery: evidence.delivery,
        rejected,
        total: evidence.rejected,
      };
      return { ...evidence, ...passed, readAt };
    } finally {
      for (const file of found?.files ?? []) await file.close();
      await store.close();
    }
  }

  async settle({ delivery }: ReadEvidence, signal?: AbortSignal): Promise<void> {
    const { rules } = this.config;
    if (this.lastRead?.delivery !== delivery || (rules.after === 'leave' && rules.rejects === null)) return;
    const { file, rejected, total } = this.lastRead;
    const store = openDropStore(this.config, this.context, signal);
    try {
      if (rules.rejects !== null) await rejected.write(store, rules.rejects, file, total);
      await putAwayOlder(store, this.config, file, (one) => this.context.deliveries.isTaken(this.name, one));
    } finally {
      await store.close();
    }
  }

  /**
   * The probe reads the entire file, because only a full read verifies the header and every cell. Reading does not use
   * up the file.
   */
  async probe(signal?: AbortSignal): ReturnType<Connector['probe']> {
    const evidence = await this.read(() => {}, signal);
    const doubt = evidence.incompleteBecause === undefined ? '' : `; incomplete: ${evidence.incompleteBecause}`;
    const footer = evidence.footer === undefined ? '' : `; ${describeFooter(evidence.footer)}`;
    const missed = evidence.overlooked === undefined ? '' : `; ${describeOverlooked(evidence.overlooked)}`;
    const odd = evidence.unreadableNames === undefined ? '' : `; ${describeUnreadableNames(evidence.unreadableNames)}`;
    return {
      at: evidence.at,
      detail: `${plural(evidence.rows, 'row')}, ${evidence.rejected} rejected${footer}${doubt}${missed}${odd}`,
    };
  }

  async close(): Promise<void> {}

  /**
   * True if a comparison of the bytes may show that nothing is new. If a footer is configured, each run parses the file
   * to report the footer.
   */
  private mayStand({ size }: DropFile, standing: StandingRows | null): boolean {
    return this.config.rules.footer === undefined && standing?.contentSize === size;
  }

  /** Reads one file of the delivery. Returns the reason why the file was not read completely, or null if it was. */
  private async readFile(file: DropFile, sink: RowSink, onBytes: (chunk: Buffer) => void): Promise<string | null> {
    const { at, size, manifest } = file;
    // NDJSON has neither header nor brackets, so an empty export has zero bytes and needs `empty: allowed`.
    if (size === 0 && !this.mayBeEmpty) throw refuseEmpty(at);
    const hash = createHash('sha256');
    const onOwnBytes = (chunk: Buffer): void => {
      onBytes(chunk);
      // The file's own hash is needed only for a manifest.
      if (manifest !== null) hash.update(chunk);
    };
    const before = sink.counts.rows;
    const endsLines = manifest === null && this.context.deliveries.endsLines(this.name);
    const text = (): AsyncGenerator<Buffer> => decodeFile(file, this.config.encoding, onOwnBytes);
    try {
      const because = await chooseFormat(at, this.shape, this.config)({ at, size, endsLines, text }, sink);
      const found = { rows: sink.counts.rows - before, sha256: hash.digest('hex') };
      if (manifest !== null) checkManifest(manifest, found, at);
      return because;
    } catch (error) {
      const isCut = error instanceof SyncError && error.code === 'SYNC_SOURCE_CUT';
      throw isCut && file.isYoung ? refuseUnsettled(at) : error;
    }
  }

  private buildEvidence(
    { files, overlooked, unreadable }: NewestFiles,
    { counts, footer, lineEnds }: RowSink,
    because: string | null,
    digest: string,
  ): Omit<ReadEvidence, 'readAt'> {
    const [only, ...others] = files;
    const delivery = files.map((file) => file.delivery).join(' + ');
    const incompleteBecause = judgeCompleteness(counts, because, this.mayBeEmpty);
    const nowMs = this.context.clock.now();
    return {
      source: this.name,
      delivery,
      kind: 'drop',
      at: files.map((file) => file.at).join(' + '),
      rows: counts.rows,
      rejected: counts.rejected,
      complete: incompleteBecause === null,
      ...(incompleteBecause === null ? {} : { incompleteBecause }),
      ...(isKeylessAlone(counts, because) ? { keyless: true as const } : {}),
      digest,
      ...(lineEnds === null ? {} : { lineEnds }),
      ...(only === undefined || others.length > 0 ? {} : { bytes: only.size }),
      ...(overlooked === null ? {} : { overlooked }),
      ...(unreadable === null ? {} : { unreadableNames: unreadable }),
      ...(footer === null ? {} : { footer }),
      ...describeMemory(this.context.deliveries, this.name, this.config.rules, { delivery, digest, nowMs }),
    };
  }
}

/** True if the bytes equal those of the last read, so that nothing is parsed again. */
function takeStanding({ at, manifest }: DropFile, sink: RowSink, sha256: string): boolean {
  if (!sink.addContent(sha256, at)) return false;
  if (manifest !== null) checkManifest(manifest, { rows: sink.counts.rows, sha256 }, at);
  return true;
}

function refuseEmpty(at: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: 'The file has no content, zero bytes.',
    place: at,
    remedy: 'Have the export delivered again: even an export without people has a header.',
  });
}
