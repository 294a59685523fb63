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
/** A name has 255 bytes in most file systems; the words take the rest. */
const LONGEST_PATTERN = 150;

/** Names without an id are made unique where two records have the same. */
const NAMES: Readonly<Record<DocumentKindName, string>> = {
  cv_documents: '{name} ({id})',
  reference_documents: '{customer} - {name} ({id})',
};

/** Records of the service that are delivered as documents, each again when it changed. */
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
  // Without a language it has been refused.
  if (language !== '') checkLanguage([...path, 'language'], language, report);
  return {
    name,
    /** Where it is configured, for messages: `deliveries.cvs`. */
    at: path.join('.'),
    kind,
    format,
    language,
    /** null: the default one of the office, the country or the account. */
    template,
    filter: resolveFilter(filter),
    /** An office, or all of a country where `name` is null; empty: everybody. */
    offices: listWantedOffices(filter),
    stage: filter.stage ?? ('all' as const),
    owned: filter.owned ?? false,
    /** null: each run looks for what changed. */
    schedule: schedule === undefined ? null : { every: schedule, timezone },
    /** Documents that one run fetches. */
    atMost: input.at_most ?? MOST_A_RUN,
    gone: input.gone ?? ('keep' as const),
    place: resolveDrop([...path, 'deliver'], deliver, surroundings),
    /** With words in braces, and folders before a `/`. */
    fileName,
  };
}

/** What the configuration adds to the words must be safe; what records add is made so. */
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
  const there = `There are ${words.map((word) => `{${word}}`).join(', ')}.`;
  const parts = fileName.replaceAll(/\{\w+\}/g, 'x').split('/');
  if (unknown !== undefined) report.add(path, `{${unknown}} stands for nothing here`, there);
  else if (used.length === 0) report.add(path, `"${fileName}" would name all documents alike`, there);
  else if (parts.some((part) => !isSafe(part)) || Buffer.byteLength(fileName) > LONGEST_PATTERN) {
    const remedy = 'Write names without a dot at their start, blanks at their ends and any of < > : " | ? * \\.';
    report.add(path, `"${fileName}" is no name of a delivered file`, remedy);
  } else if (!fileName.endsWith(`.${format}`)) {
    report.add(path, `"${fileName}" does not end with the format`, `End it with .${format}, or set \`format\`.`);
  }
}

function isSafe(part: string): boolean {
  return !/^$|^[.\s]|[.\s]$|[\\{}<>:"|?*\p{Cc}]/u.test(part);
}
