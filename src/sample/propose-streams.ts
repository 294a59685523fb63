import { isKeyName } from './column-names.js';
import { read } from './propose-users.js';
import type { Sample } from './read-sample.js';
import { withNote, writeExpression } from './yaml-text.js';

/** A stream of a CRM source, by the name that `from` takes. */
export interface ProposedStream {
  readonly name: string;
  readonly sample: Sample;
}

interface StreamRule {
  readonly entity: 'customers' | 'projects';
  /** What files of it are called, in English, Norwegian, Swedish, Danish and German. */
  readonly file: RegExp;
  readonly match: readonly string[];
  /** Field → names that its column may have, the surest first, and how it is written. */
  readonly fields: readonly ProposedField[];
}

interface ProposedField {
  readonly field: string;
  readonly columns: RegExp;
  /** Without this field there is no proposal. */
  readonly isNeeded: boolean;
  readonly isKey?: true;
  readonly write: (expression: string) => string;
  readonly note: string | null;
}

const plain = (expression: string): string => expression;
const inEnglish = (expression: string): string => `{ en: ${expression} }`;
const LANGUAGE = 'GUESS: the language of the texts';

const RULES: readonly StreamRule[] = [
  {
    entity: 'customers',
    file: /custom|compan|account|client|kunde|kund(?:er|en)?(?:_|$)|firma|selskap/i,
    match: ['external_unique_id', 'customer_name'],
    fields: [
      {
        field: 'customer_name',
        columns: /^(?:customer_?|company_?|account_?)?(?:name|navn|namn)$/i,
        isNeeded: true,
        write: inEnglish,
        note: LANGUAGE,
      },
      {
        field: 'customer_url',
        columns: /^(?:url|website|web_?site|homepage)$/i,
        isNeeded: false,
        write: plain,
        note: null,
      },
      {
        field: 'customer_description',
        columns: /^(?:description|beskrivelse|beskrivning)$/i,
        isNeeded: false,
        write: inEnglish,
        note: null,
      },
    ],
  },
  {
    entity: 'projects',
    file: /project|deal|opportunit|prosjekt|projekt/i,
    match: ['external_unique_id'],
    fields: [
      {
        field: 'customer',
        columns: /^(?:customer|company|account|client|kunde?)_?(?:id|no|nr|number|key)$/i,
        isNeeded: true,
        isKey: true,
        write: plain,
        note: "GUESS: the customer's id as `customers` has it",
      },
      {
        field: 'project_name',
        columns: /^(?:project_?|deal_?)?(?:name|navn|namn|title)$/i,
        isNeeded: true,
        write: inEnglish,
        note: LANGUAGE,
      },
    ],
  },
];

/** `customers:` and `projects:` where the names of a file and its columns tell, as lines of YAML. */
export function renderStreamEntities(streams: readonly ProposedStream[]): readonly string[] {
  return RULES.flatMap((rule) => {
    for (const { name, sample } of streams) {
      const lines = rule.file.test(name.replace(/^.*\./, '')) ? renderStreamEntity(rule, name, sample) : null;
      if (lines !== null) return lines;
    }
    return [];
  });
}

function renderStreamEntity(
  { entity, match, fields }: StreamRule,
  from: string,
  sample: Sample,
): readonly string[] | null {
  const found = fields.map((field) => ({ ...field, column: findColumn(sample, field) }));
  if (sample.keyNote !== null || found.some(({ column, isNeeded }) => isNeeded && column === null)) return null;
  return [
    `${entity}: # GUESS: what becomes of ${from}; take it out if it is something else`,
    `  from: [${from}]`,
    `  match: [${match.join(', ')}]`,
    '  fields:',
    `    external_unique_id: ${writeExpression(read(sample, sample.key))}`,
    ...found.flatMap(({ field, column, write, note }) =>
      column === null ? [] : [withNote(`    ${field}: ${write(writeExpression(read(sample, column)))}`, note)],
    ),
  ];
}

function findColumn(sample: Sample, { columns, isKey }: ProposedField): string | null {
  const texts = sample.columns.filter(({ name, column }) => column?.type === 'string' && name !== sample.key);
  return texts.find(({ name }) => columns.test(name) && (isKey !== true || isKeyName(name)))?.name ?? null;
}
