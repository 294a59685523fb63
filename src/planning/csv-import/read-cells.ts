import { BASE_ROLES } from '../../model/fields.js';
import { IMPORT_COLUMNS, type ImportColumn } from '../../model/import-columns.js';
import { isJsonObject, type Json, listOf, objectOf, type Values } from '../../model/json.js';

/** How the service's import treats a file. The operator describes it, because no endpoint shows this setting. */
export interface FileForm {
  /** Language of title and nationality in the file: a code, `native` for that of the country, null if not stated. */
  readonly language: string | null;
  /** Category external id → column title. */
  readonly tagColumns: Readonly<Record<string, string>>;
  /** Native language of a country, by its code; null if it is not known. */
  readonly nativeLanguage: (country: string) => string | null;
}

/** A value that has no place in the file, and the reason. Reasons repeat, so that the people affected can be counted per reason. */
export interface Loss {
  readonly field: string;
  readonly reason: string;
}

export interface ImportCells {
  /** Column title → cell; only cells that are not empty. */
  readonly cells: ReadonlyMap<string, string>;
  readonly losses: readonly Loss[];
}

type Lose = (field: string, reason: string) => void;

/** The person of a row, and the file that the row goes into. */
interface RowContext {
  readonly values: Values;
  readonly form: FileForm;
  readonly lose: Lose;
}

type ReadCell = (value: Json, context: RowContext) => Readonly<Partial<Record<ImportColumn, string>>>;

const plain =
  (column: ImportColumn): ReadCell =>
  (value, { lose }) => {
    if (typeof value === 'string' || typeof value === 'number') return { [column]: String(value) };
    lose(column, 'the column takes one text only');
    return {};
  };

/** Field of the model → its columns (spec, CSV import, Columns). All other fields have none. */
const READ: Readonly<Record<string, ReadCell>> = {
  email: plain('email'),
  external_unique_id: plain('external_unique_id'),
  office: readOffice,
  name: plain('name'),
  upn: plain('upn'),
  telephone: plain('telephone'),
  landline: plain('landline'),
  title: oneLanguage('title'),
  born_year: plain('born_year'),
  nationality: oneLanguage('nationality'),
  place_of_residence: oneLanguage('place_of_residence'),
  roles: readRoles,
};

/** The columns that a managed field may fill; tags have columns of their own. */
export function columnsOf(field: string): readonly string[] {
  if (field === 'office') return ['country_code', 'office_name'];
  return IMPORT_COLUMNS.filter((column) => column === field);
}

/** Returns one person's row, and the values that have no place in it. */
export function readCells(values: Values, form: FileForm): ImportCells {
  const cells = new Map<string, string>();
  const losses: Loss[] = [];
  const lose: Lose = (field, reason) => void losses.push({ field, reason });
  for (const [field, value] of Object.entries(values)) {
    // A scope has no meaning without its role, and people with that role are not in the file at all.
    if (value === null || value === '' || field === 'role_allowed_offices' || field === 'role_allowed_tags') continue;
    const read = READ[field];
    // Each tag category of a person has a column of its own.
    if (field === 'tags') readTags(value, form, cells, lose);
    else if (read === undefined) lose(field, 'the import has no column for it');
    else for (const [column, cell] of Object.entries(read(value, { values, form, lose }))) cells.set(column, cell);
  }
  return { cells, losses };
}

function readOffice(value: Json): Readonly<Partial<Record<ImportColumn, string>>> {
  if (!isJsonObject(value)) return {};
  return { country_code: String(value.country), office_name: String(value.name) };
}

function oneLanguage(column: 'title' | 'nationality' | 'place_of_residence'): ReadCell {
  return (value, context) => readOneLanguage(column, value, context);
}

function readOneLanguage(
  column: ImportColumn,
  value: Json,
  { values, form, lose }: RowContext,
): Readonly<Partial<Record<ImportColumn, string>>> {
  const texts = Object.entries(objectOf(value)).filter(([, text]) => text !== null && text !== '');
  if (texts.length === 0) return {};
  const language = languageOf(values, form);
  if (language === null) {
    lose(
      column,
      form.language === null
        ? '`users.bulk_load.language` does not specify the language that the import uses for it'
        : 'the native language of the country is not known',
    );
    return {};
  }
  const others = texts.flatMap(([code]) => (code === language ? [] : [code])).sort();
  if (others.length > 0)
    lose(
      column,
      `the column holds one language (${language}): ${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} not in it`,
    );
  const own = texts.find(([code]) => code === language);
  return own === undefined ? {} : { [column]: String(own[1]) };
}

function languageOf({ office }: Values, { language, nativeLanguage }: FileForm): string | null {
  if (language !== 'native') return language;
  return isJsonObject(office) ? nativeLanguage(String(office.country)) : null;
}

/** The base role comes first, then the additional roles. The default base role is consultant (spec, CSV import, Columns). */
function readRoles(value: Json): Readonly<Partial<Record<ImportColumn, string>>> {
  const roles = rolesOf({ roles: value });
  if (roles.length === 0) return {};
  const base = roles.find((role) => (BASE_ROLES as readonly string[]).includes(role)) ?? 'consultant';
  return { roles: [base, ...roles.filter((role) => role !== base).sort()].join(' ') };
}

function readTags(value: Json, { tagColumns }: FileForm, cells: Map<string, string>, lose: Lose): void {
  for (const [category, tag] of Object.entries(objectOf(value))) {
    if (tag === null || tag === '') continue;
    const title = tagColumns[category];
    if (title === undefined) lose(`tags.${category}`, 'no column is mapped to it (`users.bulk_load.tag_columns`)');
    else cells.set(title, String(tag));
  }
}

export function rolesOf({ roles }: Values): readonly string[] {
  return listOf(roles).map(String);
}

/**
 * Why a person must not be in the file at all, or null. The import turns externals into normal users (spec, CSV import,
 * Processing). A departmentmanager has a scope, for which the file has no column: the role is "only partly supported".
 */
export function refusePerson(roles: readonly string[]): string | null {
  if (roles.includes('external')) return 'external: the import may turn people in the file into normal users';
  if (roles.includes('departmentmanager'))
    return 'departmentmanager: the import supports the role only partly, without its scope';
  return null;
}
