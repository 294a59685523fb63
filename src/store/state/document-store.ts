import type { DocumentRecord } from '../../model/delivery.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, jsonOrNull, parseOrNull, type RowOf } from '../statements.js';
import { deliveredDocuments } from './state-schema.js';

type DocumentRow = RowOf<typeof deliveredDocuments>;

/** Stores the progress of records that are delivered as documents. */
export function createDocumentStore(sqlite: Sqlite) {
  const { all, count, one, run, upsert } = createStatements(sqlite);
  const ofDelivery = all<DocumentRow>('SELECT * FROM delivered_documents WHERE delivery = $delivery ORDER BY key');
  const ofKey = all<DocumentRow>('SELECT * FROM delivered_documents WHERE key = $key ORDER BY delivery');
  const find = one<DocumentRow>('SELECT * FROM delivered_documents WHERE delivery = $delivery AND key = $key');
  const laid = count('SELECT count(*) FROM delivered_documents WHERE delivery = $delivery AND laid IS NOT NULL');
  const save = upsert(deliveredDocuments);
  const forget = run('DELETE FROM delivered_documents WHERE delivery = $delivery AND key = $key');

  return {
    of: (delivery: string): readonly DocumentRecord[] => ofDelivery({ delivery }).map(readRow),
    ofKey: (key: string): readonly DocumentRecord[] => ofKey({ key }).map(readRow),
    find(delivery: string, key: string): DocumentRecord | null {
      const row = find({ delivery, key });
      return row === null ? null : readRow(row);
    },
    /** Number of records with a delivered file. */
    count: (delivery: string): number => laid({ delivery }),
    save: ({ delivery, entity, key, laid, missing, failure }: DocumentRecord): void =>
      void save({ delivery, entity, key, laid: jsonOrNull(laid), missing, failure: jsonOrNull(failure) }),
    forget: (delivery: string, key: string): void => void forget({ delivery, key }),
  };
}

function readRow({ delivery, entity, key, laid, missing, failure }: DocumentRow): DocumentRecord {
  return { delivery, entity, key, laid: parseOrNull(laid), missing, failure: parseOrNull(failure) };
}
