import { ENTITIES } from '../model/entity.js';
import type { SourceWrite } from '../model/write-back.js';
import { type PrepareContext, readRow } from './prepare-writes.js';

const PAGE = 500;

/** The linked records of a source that nothing changes, for sources that are told of all of them each time. */
export function* listOthers(
  source: string,
  told: ReadonlySet<string>,
  context: Pick<PrepareContext, 'stores' | 'writeBackMappers'>,
): Iterable<SourceWrite> {
  const { work } = context.stores;
  const seen = new Set(told);
  for (const entity of ENTITIES) {
    for (let after = 0; ; ) {
      const page = work.writeBackRows(entity, null, after, PAGE);
      for (const { desired, serviceId, row } of page) {
        after = row;
        const there = desired.writeBack.records[source];
        if (there === undefined || serviceId === null || seen.has(there.record)) continue;
        seen.add(there.record);
        const { record, cells } = there;
        yield { record, cells: {}, row: readRow({ entity, source, record }, cells, context) };
      }
      if (page.length === 0) break;
    }
  }
}
