import type { App } from '../../app/app.js';
import type { Mapper } from '../../mapping/mapper.js';
import { isLink } from '../../model/entity.js';
import type { SourceRecord } from '../../model/source.js';
import { findCompanions } from '../../planning/staging/companions.js';
import type { StagedEntity } from '../../planning/staging/stage-sources.js';
import type { RowCatcher } from './catch-rows.js';

export interface ExplainedRow {
  readonly record: SourceRecord;
  readonly companions: ReturnType<typeof findCompanions>;
}

/**
 * Returns the rows with one key. The rows were kept while the run was derived, because staging stores only their results. A
 * stream is read again only if a row with the key may have been missed.
 */
export async function readRows(
  app: App,
  staged: StagedEntity,
  key: string,
  catcher: RowCatcher,
): Promise<readonly ExplainedRow[]> {
  const mapper = app.mappers[staged.entity];
  const rows: ExplainedRow[] = [];
  const isTwice = app.stores.work.stagedByKey(staged.entity, key)?.state === 'duplicate';
  for (const { source, evidence } of staged.deciding) {
    const connector = app.connectors.get(source);
    if (connector === undefined || mapper === undefined || evidence === null) continue;
    const completion = { mapper, enriching: staged.enriching, work: app.stores.work, today: app.today };
    const take = (records: readonly SourceRecord[]): void => {
      for (const record of records) {
        // A link combines all rows of the person and the project, so it does not come from a single row.
        if (record.key !== key && !isLink(staged.entity)) continue;
        const companions = findCompanions(record, completion);
        if (isLink(staged.entity) && keyOf(mapper, record, companions, app.today) !== key) continue;
        rows.push({ record, companions });
      }
    };
    take(catcher.caught(source));
    const isFound = rows.some(({ record }) => record.place.source === source);
    if (catcher.isWatched(key) || (isFound && !isTwice && !isLink(staged.entity))) continue;
    rows.splice(0, rows.length, ...rows.filter(({ record }) => record.place.source !== source));
    await connector.read(({ records }) => take(records));
  }
  return rows;
}

function keyOf(mapper: Mapper, record: SourceRecord, companions: ExplainedRow['companions'], today: Date): string {
  const mapped = mapper.map(record, companions, today);
  return mapped.kind === 'desired' ? mapped.desired.key : record.key;
}
