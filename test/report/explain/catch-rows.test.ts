import { expect, test } from 'vitest';
import type { App } from '../../../src/app/app.js';
import type { Connector } from '../../../src/connectors/connector.js';
import type { SourceRecord } from '../../../src/model/source.js';
import { createRowCatcher } from '../../../src/report/explain/catch-rows.js';
import { readRows } from '../../../src/report/explain/read-rows.js';

function row(key: string, name: string): SourceRecord {
  const place = { source: 'hr', at: 'hr.csv', line: 2 };
  return { key, place, cells: { id: key, name } } as unknown as SourceRecord;
}

/** An app with one source of these rows, which counts its reads. */
function openApp(records: readonly SourceRecord[], state: string) {
  let reads = 0;
  const connector = {
    name: 'hr',
    read: async (take: (batch: object) => void) => {
      reads += 1;
      take({ records, rejected: [] });
      return { source: 'hr' };
    },
  } as unknown as Connector;
  const connectors = new Map([['hr', connector]]);
  const mappers = { users: { enriching: [] } };
  const stores = { work: { stagedByKey: () => ({ state, desired: null }) } };
  const app = { connectors, mappers, stores, stageContext: { connectors } } as unknown as App;
  return { app, reads: () => reads };
}

const STAGED = { entity: 'users', deciding: [{ source: 'hr', evidence: {}, error: null }], enriching: [] } as never;

async function explainWith(words: string, known: readonly string[], state = 'desired') {
  const { app, reads } = openApp([row('E1', 'Åse Bjørnstad'), row('E2', 'Kari'), row('E1', 'Åse B.')], state);
  const catcher = createRowCatcher(words, known);
  for (const [, connector] of catcher.watch(app).stageContext.connectors) await connector.read(() => undefined);
  const rows = await readRows(app, STAGED, 'E1', catcher);
  return { reads: reads(), rows: rows.length };
}

test('reads a source once for a known person, with every row of the key', async () => {
  expect(await explainWith('ase@example.com', ['E1'])).toEqual({ reads: 1, rows: 2 });
});

test('reads a source once for a new person whose row contains the words', async () => {
  expect(await explainWith('bjornstad', [])).toEqual({ reads: 1, rows: 1 });
});

test('reads a source again only if it may have missed a row', async () => {
  expect(await explainWith('bjornstad', [], 'duplicate')).toEqual({ reads: 2, rows: 2 });
  expect(await explainWith('nothing in the row', [])).toEqual({ reads: 2, rows: 2 });
});
