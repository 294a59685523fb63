import type { Enriching, MapResult } from '../../mapping/map-result.js';
import type { Mapper } from '../../mapping/mapper.js';
import type { Entity } from '../../model/entity.js';
import type { Cell, SourceRecord } from '../../model/source.js';
import { saysPresent } from '../../model/standings.js';
import type { LeftBecause, UnknownWord } from '../../model/understood.js';
import type { OnMapped } from '../staging/stage-rows.js';
import { MOST_WORDS } from '../staging/take-words.js';

type Mappers = Readonly<Partial<Record<Entity, Mapper>>>;

/** Counts that only the rows can provide. They are taken while the rows are mapped, because no words are kept afterwards. */
export interface MappedRows {
  readonly mappers: Mappers;
  readonly take: OnMapped;
  of(entity: Entity): MappedTally;
}

export interface MappedTally {
  readonly held: number;
  readonly outOfScope: number;
  readonly leftBecause: readonly LeftBecause[];
  readonly unknownWords: readonly UnknownWord[];
  /** True if the columns of the office have more than one value. */
  readonly hasSeveralOffices: boolean;
}

/** Column → word → number of rows. A column with more than `MOST_WORDS` words has no vocabulary. */
type ColumnWords = Map<string, Map<string, number>>;

interface CountedRows {
  held: number;
  outOfScope: number;
  /** Words of people who have left; empty for a column of dates, or of yes and no. */
  readonly left: ColumnWords;
  readonly unknown: ColumnWords;
  readonly officeCells: Set<string>;
}

export function createMappedRows(mappers: Mappers, today: Date): MappedRows {
  const counted = new Map<Entity, CountedRows>();
  const countingOf = (entity: Entity): CountedRows => {
    const known = counted.get(entity) ?? {
      ...{ held: 0, outOfScope: 0, left: new Map(), unknown: new Map(), officeCells: new Set<string>() },
    };
    counted.set(entity, known);
    return known;
  };
  return {
    mappers,
    take(entity, record, companions, result) {
      const mapper = mappers[entity];
      if (mapper === undefined) return;
      const counting = countingOf(entity);
      if (result.kind === 'held') counting.held += 1;
      if (result.kind === 'out_of_scope') counting.outOfScope += 1;
      if (result.kind !== 'desired') return;
      const words = mapper.wordsOf(record, companions, today);
      if (result.desired.leaver) takeLeaver(counting, mapper, { record, companions, result, words });
      else takeUnknown(counting, mapper, { record, companions, words });
      takeOffice(counting, mapper, record);
    },
    of: (entity) => tellTally(countingOf(entity)),
  };
}

interface MappedRow {
  readonly record: SourceRecord;
  readonly companions: Enriching;
  readonly words: ReturnType<Mapper['wordsOf']>;
}

function takeLeaver(
  { left }: CountedRows,
  mapper: Mapper,
  row: MappedRow & { readonly result: MapResult & { readonly kind: 'desired' } },
): void {
  const { desired } = row.result;
  if (desired.left !== undefined) {
    countWord(left, nameColumn(desired.left.column, mapper), null);
    return;
  }
  const said = listSaid(mapper, row);
  const named = said.filter(({ isNamed }) => isNamed);
  const deciding = named.length > 0 ? named : said;
  for (const { column, word } of deciding) countWord(left, column, word);
  if (deciding.length > 0) return;
  for (const column of mapper.reads.get('leaver.when') ?? []) countWord(left, nameColumn(column, mapper), null);
}

function takeUnknown({ unknown }: CountedRows, mapper: Mapper, row: MappedRow): void {
  for (const { column, word, isKnown } of listSaid(mapper, row)) if (!isKnown) countWord(unknown, column, word);
}

interface SaidWord {
  readonly column: string;
  readonly word: string;
  /** True if `leaver.when` names the word. */
  readonly isNamed: boolean;
  /** True if any expression that reads the column names the word. */
  readonly isKnown: boolean;
}

/** The words of a row in the columns of `leaver.when`, as the file writes them. */
function listSaid(mapper: Mapper, { record, companions, words }: MappedRow): readonly SaidWord[] {
  return mapper.vocabulary.flatMap(({ operand, reads, named, ofLeavers }) => {
    const word = words.find(([of]) => of === operand)?.[1] ?? '';
    const [column] = reads;
    if (ofLeavers === null || column === undefined || word.trim() === '') return [];
    const written = reads.length === 1 ? cellOf(column, record, companions) : undefined;
    const shown = typeof written === 'string' ? written : word;
    return [
      {
        column: nameColumn(column, mapper),
        word: shown,
        isNamed: ofLeavers.includes(word),
        isKnown: named.includes(word),
      },
    ];
  });
}

function cellOf(read: string, record: SourceRecord, companions: Enriching): Cell | undefined {
  for (const [source, row] of [[record.place.source, record] as const, ...Object.entries(companions)]) {
    if (row !== null && row !== 'unknown' && read.startsWith(`${source}.`))
      return row.cells[read.slice(source.length + 1)];
  }
  return undefined;
}

function takeOffice({ officeCells }: CountedRows, mapper: Mapper, record: SourceRecord): void {
  if (officeCells.size > 1) return;
  const reads = ['office.country', 'office.name'].flatMap((path) => mapper.reads.get(path) ?? []);
  const cells = [...new Set(reads)].map((read) => cellOf(read, record, {}) ?? null);
  if (cells.some((cell) => cell !== null)) officeCells.add(JSON.stringify(cells.map(String)));
}

function countWord(words: ColumnWords, column: string, word: string | null): void {
  const known = words.get(column) ?? new Map<string, number>();
  words.set(column, known);
  if (word !== null && (known.has(word) || known.size <= MOST_WORDS)) known.set(word, (known.get(word) ?? 0) + 1);
}

/** `Status` for `hr.Status`, if all rows are from `hr`. */
export function nameColumn(read: string, { origins }: Pick<Mapper, 'origins'>): string {
  const [origin] = origins;
  return origins.length === 1 && read.startsWith(`${origin}.`) ? read.slice(`${origin}.`.length) : read;
}

function tellTally({ held, outOfScope, left, unknown, officeCells }: CountedRows): MappedTally {
  const byRows = (words: ReadonlyMap<string, number>) => [...words].sort(([, a], [, b]) => b - a);
  return {
    held,
    outOfScope,
    leftBecause: [...left].map(([column, words]) => ({
      column,
      words: words.size > MOST_WORDS ? [] : byRows(words).map(([word]) => word),
    })),
    unknownWords: [...unknown].flatMap(([column, words]) => {
      if (words.size > MOST_WORDS) return [];
      return byRows(words).flatMap(([word, rows]) => (saysPresent(word) ? [] : [{ column, word, rows }]));
    }),
    hasSeveralOffices: officeCells.size > 1,
  };
}
