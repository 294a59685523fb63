import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConnectorContext } from '../../../src/connectors/connector.js';
import { createFileWriter } from '../../../src/connectors/drop/file-writer.js';
import type { FileWriteBack } from '../../../src/connectors/drop/resolve-file-write-back.js';
import type { DropStore } from '../../../src/connectors/drop/store.js';
import type { SourceWriter, WriteDelivery } from '../../../src/connectors/source-writer.js';
import type { Columns } from '../../../src/model/column.js';
import type { Json } from '../../../src/model/json.js';
import type { SourceWrite, WriteOutcome } from '../../../src/model/write-back.js';
import { buildContext, column, NOW } from '../fixtures.js';

/** The run of the tests’ deliveries, and the file it writes. */
export const RUN: WriteDelivery = { run: 'r1', atMs: NOW };
export const FILE = 'talent-r1.csv';

export const MOBILE: Columns = { id: column('string'), mobile: column('string', { optional: true }) };

export function backTo(drop: string, rest: Partial<FileWriteBack> = {}): FileWriteBack {
  return {
    drop,
    sftp: null,
    name: 'talent-{run}.csv',
    rows: 'changed',
    columns: null,
    encoding: 'utf-8',
    bom: false,
    separator: ';',
    manifest: false,
    lapseMs: 0,
    ...rest,
  };
}

/** The same folder with some of its methods replaced. */
export function changeStore(store: DropStore, changes: Partial<DropStore>): DropStore {
  return Object.assign(Object.create(store), changes);
}

export function openWriter(
  writeBack: FileWriteBack,
  columns: Columns = MOBILE,
  context: ConnectorContext = buildContext(),
): SourceWriter {
  const header = writeBack.columns ?? ['id', 'mobile'];
  return createFileWriter({ name: 'hr', key: 'id', columns, header, writeBack }, context);
}

/** A record that sends all of its columns. */
export function tell(record: string, cells: Readonly<Record<string, Json>>): SourceWrite {
  return { record, cells, row: cells };
}

export async function writeAll(
  writer: SourceWriter,
  writes: Iterable<SourceWrite>,
  delivery = RUN,
  signal?: AbortSignal,
): Promise<readonly WriteOutcome[]> {
  const outcomes: WriteOutcome[] = [];
  await writer.write(writes, delivery, (outcome) => outcomes.push(outcome), signal);
  return outcomes;
}

/** Name → content of everything in a folder. */
export async function readFolder(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(folder);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])),
  );
}
