import { setImmediate } from 'node:timers/promises';
import type { Columns } from '../../model/column.js';
import { sha256 } from '../../model/sha256.js';
import type { ConnectorContext } from '../connector.js';
import type { SourceWriter, WriteDelivery } from '../source-writer.js';
import { type Delivery, deliverOnce, tidyPartials } from './deliver-once.js';
import { nameFile, namePartial } from './delivery-name.js';
import { openDropStore } from './open-store.js';
import { createRowPrinter } from './print-row.js';
import type { FileWriteBack } from './resolve-file-write-back.js';
import { type SpooledFile, spoolRows } from './spool-rows.js';
import type { DropStore } from './store.js';

/** A stream that receives write-backs as files. */
export interface WrittenStream {
  readonly name: string;
  readonly key: string;
  readonly columns: Columns;
  /** The columns of the written files, in order. */
  readonly header: readonly string[];
  readonly writeBack: FileWriteBack;
}

/** Writes back to a source with one CSV file per delivery, in a folder from which the other side collects it. */
export function createFileWriter(stream: WrittenStream, context: ConnectorContext): SourceWriter {
  return new FileWriter(stream, context);
}

class FileWriter implements SourceWriter {
  readonly name: string;

  constructor(
    private readonly stream: WrittenStream,
    private readonly context: ConnectorContext,
  ) {
    this.name = stream.name;
  }

  /** Counts a manifest as part of its file. */
  forecast(records: number): Readonly<Record<string, number>> {
    return { file: records > 0 ? 1 : 0 };
  }

  async write(...[writes, delivery, onOutcome, signal]: Parameters<SourceWriter['write']>): Promise<void> {
    const { stream, context } = this;
    const name = this.nameOf(delivery);
    /** Only the keys of changed records are kept, until the outcome of the file is known. */
    const changed: string[] = [];
    let rows = 0;
    const printRow = createRowPrinter(stream, context.timezone);
    function* printRows(): Iterable<readonly string[]> {
      yield stream.header;
      for (const one of writes) {
        signal?.throwIfAborted();
        const { record, cells } = one;
        const isChanged = Object.keys(cells).length > 0;
        const row = printRow(one);
        if (typeof row !== 'string') {
          if (isChanged) changed.push(record);
          rows += 1;
          yield row;
        } else if (isChanged) onOutcome({ record, status: 'refused', at: name, requestId: null, message: row });
      }
    }
    const file = await spoolRows(printRows(), stream.writeBack, context.downloads);
    try {
      if (changed.length === 0) return;
      const doubt = await this.deliver(name, file, rows, signal);
      const fate = doubt === null ? { status: 'done' as const } : { status: 'lost' as const, message: doubt };
      for (const [index, record] of changed.entries()) {
        onOutcome({ record, at: name, requestId: null, ...fate });
        // Yields, so that health checks can run in between.
        if (index % 1_000 === 999) await setImmediate();
      }
    } finally {
      await file.close();
    }
  }

  /**
   * Checks if a file was delivered. The other side may have collected a missing file. Only a partial file or a missing
   * manifest proves that the file was not delivered.
   */
  wasDelivered(delivery: WriteDelivery, signal?: AbortSignal): Promise<boolean | null> {
    return this.withStore(signal, async (store) => {
      const name = this.nameOf(delivery);
      if ((await store.stat(name)) === null) return (await store.stat(namePartial(name))) === null ? null : false;
      return !this.stream.writeBack.manifest || (await store.stat(`${name}.done`)) !== null;
    });
  }

  probe(signal?: AbortSignal): ReturnType<SourceWriter['probe']> {
    const { writeBack } = this.stream;
    return this.withStore(signal, async (store) => {
      await store.checkWritable();
      const doubt = writeBack.sftp === null ? '' : '; the first file will show if it may write';
      return { at: store.at, detail: `writes ${writeBack.name}${doubt}` };
    });
  }

  async close(): Promise<void> {}

  /** Delivers the file. Returns null if everything arrived; otherwise the reason why this is unknown. */
  private deliver(name: string, file: SpooledFile, rows: number, signal?: AbortSignal): Promise<string | null> {
    const { writeBack } = this.stream;
    return this.withStore(signal, async (store) => {
      let doubt = await deliverOnce(store, name, file);
      // The manifest marks the file as finished, so it is delivered after the file.
      if (doubt === null && writeBack.manifest) {
        doubt = await deliverOnce(store, `${name}.done`, buildManifest(rows, file));
      }
      if (doubt === null) await tidyPartials(store, writeBack.name, this.context.clock.now());
      return doubt;
    });
  }

  private nameOf(delivery: WriteDelivery): string {
    return nameFile(this.stream.writeBack.name, delivery, this.context.timezone);
  }

  private async withStore<T>(signal: AbortSignal | undefined, work: (store: DropStore) => Promise<T>): Promise<T> {
    const store = openDropStore(this.stream.writeBack, this.context, signal);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }
}

/** Builds the manifest that `manifest: { pattern: "{file}.done", rows: /rows, sha256: /sha256 }` reads. */
function buildManifest(rows: number, delivery: Delivery): Delivery {
  const bytes = Buffer.from(`${JSON.stringify({ rows, sha256: delivery.sha256 })}\n`);
  return {
    size: bytes.length,
    sha256: sha256(bytes),
    bytes: async function* () {
      yield bytes;
    },
  };
}
