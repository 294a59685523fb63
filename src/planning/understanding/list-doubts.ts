import type { Config } from '../../config/config.js';
import { type Entity, isAccount } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { plural } from '../../model/plural.js';
import type { UnderstoodAccount } from '../../model/understood.js';
import type { FieldCount, RecordCounts } from './compare-records.js';
import type { MappedTally } from './mapped-rows.js';

/** Fewer differences or new people than this show no pattern. */
const FEWEST = 3;
const SHOWN_OFFICES = 3;

export interface Doubted {
  readonly entity: Entity;
  readonly compared: RecordCounts;
  readonly tally: MappedTally;
  readonly known: UnderstoodAccount;
  readonly config: Config;
}

/** Lists likely mistakes of the mapping, as sentences. */
export function listDoubts(doubted: Doubted): readonly string[] {
  const { entity, compared } = doubted;
  if (!isAccount(entity) || compared.records === 0) return [];
  return [
    ...doubtStrangers(doubted),
    ...[...compared.fields].flatMap(([name, count]) => doubtField(wordFor(entity, name), count)),
    ...doubtOffices(doubted),
    ...(compared.shared === 0
      ? []
      : [`${plural(compared.shared, 'row matches', 'rows match')} an account that another row matches too.`]),
    ...(compared.reactivated === 0
      ? []
      : [
          `${countPeople(compared.reactivated)} deactivated in the account, but their rows do not say that they have left.`,
        ]),
  ];
}

function doubtStrangers({ compared: { matchedBy }, known: { people } }: Doubted): readonly string[] {
  if (people === 0 || Object.keys(matchedBy).length > 0) return [];
  return [
    `The account has ${plural(people, 'person', 'people')}, but nobody in the source matches one of them: check \`match\`.`,
  ];
}

function doubtField(word: string, { compared, changing, capitals }: FieldCount): readonly string[] {
  if (changing < FEWEST) return [];
  const isLarge = changing * 3 > compared;
  const isCapitals = capitals * 2 > changing;
  return [
    ...(isLarge
      ? [`The ${word} of ${changing} of ${compared} known people would change: is it the right column?`]
      : []),
    ...(isCapitals
      ? [`${capitals} of the ${changing} differences in the ${word} are only in upper and lower case.`]
      : []),
  ];
}

function doubtOffices({ compared, tally, known, config }: Doubted): readonly string[] {
  const { fresh, newOffices, lackingOffices } = compared;
  const [only] = newOffices.keys();
  const isOne = newOffices.size === 1 && fresh >= FEWEST && known.offices > 1 && tally.hasSeveralOffices;
  const lacking = [...lackingOffices].sort(([, a], [, b]) => b - a);
  const people = lacking.reduce((sum, [, count]) => sum + count, 0);
  const shown = lacking.slice(0, SHOWN_OFFICES).map(([office, count]) => `${office} (${count})`);
  const more = lacking.length > shown.length ? ` and ${lacking.length - shown.length} more` : '';
  const they = lacking.length === 1 ? 'it' : 'they';
  const follows =
    config.users?.createMissingOffices === true ? `${they} would be created` : 'these people would be held';
  return [
    ...(isOne
      ? [`All ${fresh} new people would be in one office, ${only}; the source and the account have several.`]
      : []),
    ...(lacking.length === 0
      ? []
      : [
          `The account lacks the ${lacking.length === 1 ? 'office' : 'offices'} of ${plural(people, 'new person', 'new people')}: ${shown.join(', ')}${more}; ${follows}.`,
        ]),
  ];
}

export function wordFor(entity: Entity, field: string): string {
  return FIELDS[entity][field]?.word ?? field.replaceAll('_', ' ');
}

function countPeople(count: number): string {
  return count === 1 ? '1 person is' : `${count} people are`;
}
