import type { Config } from '../../config/config.js';
import type { Mapper } from '../../mapping/mapper.js';
import { type Entity, isAccount } from '../../model/entity.js';
import type { Understood, UnderstoodEntity, UnderstoodField } from '../../model/understood.js';
import type { Stores } from '../../store/open-stores.js';
import type { StagedEntity } from '../staging/stage-sources.js';
import { type AccountSide, compareInSteps, type RecordCounts } from './compare-records.js';
import { listDoubts } from './list-doubts.js';
import { type MappedRows, nameColumn } from './mapped-rows.js';

/** The entities that the summary covers. */
export const UNDERSTOOD = ['users', 'customers', 'projects'] as const satisfies readonly Entity[];

export interface Understanding {
  readonly config: Config;
  readonly staged: readonly StagedEntity[];
  readonly mapped: MappedRows;
  readonly work: Stores['work'];
  /** null if the account could not be read. */
  readonly account: AccountSide | null;
}

/** Sums up how the staged rows are understood, from the stores alone. */
export function* understandInSteps(given: Understanding): Generator<void, Understood> {
  const {
    account,
    staged,
    mapped: { mappers },
  } = given;
  const known = account === null ? null : countAccount(account);
  const entities: UnderstoodEntity[] = [];
  for (const entity of UNDERSTOOD) {
    const mapper = mappers[entity];
    const one = staged.find((each) => each.entity === entity);
    if (mapper !== undefined && one !== undefined) entities.push(yield* understandOne(mapper, one, given, known));
  }
  return { account: known, entities };
}

function countAccount({ mirror }: AccountSide): NonNullable<Understood['account']> {
  return { people: mirror.counts('users').all, offices: mirror.counts('offices').all };
}

function* understandOne(
  mapper: Mapper,
  { deciding }: StagedEntity,
  { config, mapped, work, account }: Understanding,
  known: Understood['account'],
): Generator<void, UnderstoodEntity> {
  const { entity } = mapper;
  const unread = deciding.filter((read) => read.evidence === null).map(({ source }) => source);
  // Zero rows of a source that could not be read say nothing.
  const isRead = unread.length < deciding.length;
  const searched = isRead && account?.entities.has(entity) === true ? account : null;
  const compared = yield* compareInSteps(entity, config, work, searched);
  const tally = mapped.of(entity);
  const evidence = deciding.flatMap((read) => read.evidence ?? []);
  const sum = (of: (one: (typeof evidence)[number]) => number): number =>
    evidence.reduce((total, one) => total + of(one), 0);
  const duplicates = work.duplicates(entity).reduce((total, { places }) => total + places.length, 0);
  const inAccount = Object.values(compared.matchedBy).reduce((total, count) => total + count, 0);
  return {
    entity,
    sources: mapper.origins,
    rows: isRead ? sum(({ rows }) => rows) : null,
    ...(unread.length === 0 ? {} : { unread }),
    unusable: sum(({ rejected }) => rejected) + tally.held + duplicates,
    out_of_scope: tally.outOfScope,
    in_account: searched === null ? null : inAccount,
    matched_by: compared.matchedBy,
    ambiguous: compared.ambiguous,
    new: searched === null ? null : compared.fresh,
    start_later: compared.early,
    doubtful: compared.doubtful,
    left: {
      people: compared.leavers,
      not_in_account: compared.strangersLeft,
      left_alone: compared.leftAlone,
      because: tally.leftBecause,
    },
    reactivated: compared.reactivated,
    fields: isRead && isAccount(entity) ? listFields(mapper, compared) : [],
    not_understood: tally.unknownWords,
    warnings: known === null || searched === null ? [] : listDoubts({ entity, compared, tally, known, config }),
  };
}

function listFields(mapper: Mapper, { fields }: RecordCounts): readonly UnderstoodField[] {
  return [...fields].map(([field, { compared, equal, changing, filling, kept, examples }]) => ({
    field,
    from: listColumns(mapper, field),
    ...{ compared, equal, kept, examples },
    would_change: changing,
    would_fill: filling,
  }));
}

function listColumns(mapper: Mapper, field: string): readonly string[] {
  const isOf = (path: string): boolean =>
    path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
  const reads = [...mapper.reads].flatMap(([path, columns]) => (isOf(path) ? columns : []));
  return [...new Set(reads.map((read) => nameColumn(read, mapper)))];
}
