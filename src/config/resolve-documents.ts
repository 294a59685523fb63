import { resolveDrop } from '../base/settings/resolve-drop.js';
import type { YamlPath } from '../base/settings/resolving.js';
import { DOCUMENT_FORMATS, DOCUMENT_WORDS, type DocumentKindName } from '../model/document-kinds.js';
import {
  checkFormat,
  checkLanguage,
  type DeliverySurroundings,
  listWantedOffices,
  resolveFilter,
} from './delivery-parts.js';
import type { DeliveryInput } from './delivery-schema.js';
import type { ConfigProblems } from './yaml/config-problems.js';

const MOST_A_RUN = 100;
/** Most file systems allow names of 255 bytes, so this leaves room for the inserted words. */
const LONGEST_PATTERN = 150;

/** Kind → default file name. If two records get the same name, an id makes it unique. */
const NAMES: Readonly<Record<DocumentKindName, string>> = {
  cv_documents: '{name} ({id})',
  reference_documents: '{customer} - {name} ({id})',
};

/** Records of the service that are delivered as documents, and delivered again after each change. */
export type DocumentDelivery = Readonly<ReturnType<typeof resolveDocuments>>;

export function resolveDocuments(
  {
    name,
    path,
    kind,
    input,
  }: {
    readonly name: string;
    readonly path: YamlPath;
    readonly kind: DocumentKindName;
    readonly input: DeliveryInput;
  },
  surroundings: DeliverySurroundings,
) {
  const { timezone, report } = surroundings;
  const { language = '', template = null, schedule, filter, deliver } = input;
  const format = checkFormat(path, input.format ?? 'pdf', DOCUMENT_FORMATS, report);
  const fileName = deliver.name ?? `${NAMES[kind]}.${format}`;
  if (input.format === undefined || input.format === format)
    checkPattern([...path, 'deliver', 'name'], { fileName, format, words: DOCUMENT_WORDS[kind] }, report);
  // A delivery without a language has already been reported.
  if (language !== '') checkLanguage([...path, 'language'], language, report);
  return {
    name,
    /** Path in the configuration, for messages: `deliveries.cvs`. */
    at: path.join('.'),
    kind,
    format,
    language,
    /** null for the default of the office, the country or the account. */
    template,
    filter: resolveFilter(filter),
    /** An entry with `name` null stands for an entire country; an empty list stands for everyone. */
    offices: listWantedOffices(filter),
    stage: filter.stage ?? ('all' as const),
    owned: filter.owned ?? false,
    /** null if each run looks for changes. */
    schedule: schedule === undefined ? null : { every: schedule, timezone },
    /** Maximum number of documents per run. */
    atMost: input.at_most ?? MOST_A_RUN,
    gone: input.gone ?? ('keep' as const),
    place: resolveDrop([...path, 'deliver'], deliver, surroundings),
    /** May contain words in braces, and folders before a `/`. */
    fileName,
  };
}

/** Checks that the text in a pattern is safe for file names. Text from records is made safe when it is inserted. */
function checkPattern(
  path: YamlPath,
  {
    fileName,
    format,
    words,
  }: { readonly fileName: string; readonly format: string; readonly words: readonly string[] },
  report: ConfigProblems,
): void {
  const used = [...fileName.matchAll(/\{([^{}]*)\}/g)].map(([, word = '']) => word);
  const unknown = used.find((word) => !words.includes(word));
  const there = `Accepted: ${words.map((word) => `{${word}}`).join(', ')}.`;
  const parts = fileName.replaceAll(/\{\w+\}/g, 'x').split('/');
  if (unknown !== undefined) report.add(path, `{${unknown}} has no meaning here`, there);
  else if (used.length === 0) report.add(path, `"${fileName}" would give all documents the same name`, there);
  else if (parts.some((part) => !isSafe(part)) || Buffer.byteLength(fileName) > LONGEST_PATTERN) {
    const remedy =
      'Write names that do not start with a dot, do not start or end with a blank, and contain none of < > : " | ? * \\.';
    report.add(path, `"${fileName}" cannot be the name of a delivered file`, remedy);
  } else if (!fileName.endsWith(`.${format}`)) {
    report.add(path, `"${fileName}" does not end with the format`, `End it with .${format}, or set \`format\`.`);
  }
}

function isSafe(part: string): boolean {
  return !/^$|^[.\s]|[.\s]$|[\\{}<>:"|?*\p{Cc}]/u.test(part);
}
