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

/** A stream that is written back to by files. */
export interface WrittenStream {
  readonly name: string;
  readonly key: string;
  readonly columns: Columns;
  /** The columns of its files, in their order. */
  readonly header: readonly string[];
  readonly writeBack: FileWriteBack;
}

/** Tells a source by one CSV file a delivery, laid in a folder where the other side takes it from. */
export function createFileWriter(stream: WrittenStream, context: ConnectorContext): SourceWriter {
  const { writeBack } = stream;
  const nameOf = (delivery: WriteDelivery): string => nameFile(writeBack.name, delivery, context.timezone);

  async function withStore<T>(signal: AbortSignal | undefined, work: (store: DropStore) => Promise<T>): Promise<T> {
    const store = openDropStore(writeBack, context, signal);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  /** null when all of it is there; else why that is not known. */
  function deliver(name: string, file: SpooledFile, rows: number, signal?: AbortSignal): Promise<string | null> {
    return withStore(signal, async (store) => {
      let doubt = await deliverOnce(store, name, file);
      // The manifest says that the file is finished, so it comes after it.
      if (doubt === null && writeBack.manifest)
        doubt = await deliverOnce(store, `${name}.done`, buildManifest(rows, file));
      if (doubt === null) await tidyPartials(store, writeBack.name, context.clock.now());
      return doubt;
    });
  }

  const write: SourceWriter['write'] = async (writes, delivery, onOutcome, signal) => {
    const name = nameOf(delivery);
    /** Records with something new: their keys alone are kept, until it is known how the file fared. */
    const told: string[] = [];
    let rows = 0;
    const printRow = createRowPrinter(stream, context.timezone);
    function* printRows(): Iterable<readonly string[]> {
      yield stream.header;
      for (const one of writes) {
        signal?.throwIfAborted();
        const isTold = Object.keys(one.cells).length > 0;
        const row = printRow(one);
        if (typeof row === 'string') {
          if (isTold) onOutcome({ record: one.record, status: 'refused', at: name, requestId: null, message: row });
          continue;
        }
        if (isTold) told.push(one.record);
        rows += 1;
        yield row;
      }
    }
    const file = await spoolRows(printRows(), writeBack, context.downloads);
    try {
      if (told.length === 0) return;
      const doubt = await deliver(name, file, rows, signal);
      const fate = doubt === null ? { status: 'done' as const } : { status: 'lost' as const, message: doubt };
      for (const [index, record] of told.entries()) {
        onOutcome({ record, at: name, requestId: null, ...fate });
        // Health checks get their turn in between.
        if (index % 1_000 === 999) await setImmediate();
      }
    } finally {
      await file.close();
    }
  };

  /** A file that is gone may have been taken: only a partial one, or a missing manifest, proves that it never arrived. */
  const wasDelivered: SourceWriter['wasDelivered'] = (delivery, signal) =>
    withStore(signal, async (store) => {
      const name = nameOf(delivery);
      if ((await store.stat(name)) !== null) return !writeBack.manifest || (await store.stat(`${name}.done`)) !== null;
      return (await store.stat(namePartial(name))) === null ? null : false;
    });

  return {
    name: stream.name,
    // A manifest is a part of its file.
    forecast: (records) => ({ file: records > 0 ? 1 : 0 }),
    write,
    wasDelivered,
    probe: (signal) =>
      withStore(signal, async (store) => {
        await store.checkWritable();
        const doubt = writeBack.sftp === null ? '' : '; that it may, the first file shows';
        return { at: store.at, detail: `writes ${writeBack.name}${doubt}` };
      }),
    close: async () => {},
  };
}

/** As `manifest: { pattern: "{file}.done", rows: /rows, sha256: /sha256 }` reads it. */
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
