import type { FieldSource } from '../config/config.js';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { isLanguage } from '../model/languages.js';
import { compileBranches, type FieldStep, type Leaves, readTexts, type StepKit, treeOf } from './step-kit.js';
import { convertText, fault, type ValuePlace } from './values.js';

/**
 * Builds challenges, solutions and value propositions: `[{ value: { en: 'x' }, label: { en: 'y' } }]`. The source is an
 * expression that yields a list of texts (in English) or of maps, or a list in the configuration. Each item of the
 * configured list is an expression, `{ en: … }`, or `{ label: { … }, value: { … } }`. Entries without text are left out.
 * Duplicates are left out too, because nothing distinguishes two entries with the same content.
 */
export function buildEntriesStep(name: string, source: FieldSource, kit: StepKit): FieldStep {
  if (typeof source === 'string') {
    const leaf = kit.compile(name, source, 'entries');
    return {
      name,
      leaves: [leaf],
      read() {
        const found = kit.read(leaf, convertEntries);
        return found === null ? undefined : (found ?? kit.emptyValue(name));
      },
    };
  }
  const items = (Array.isArray(source) ? (source as readonly FieldSource[]) : []).map((item, index) =>
    compileItem(`${name}[${index}]`, item, kit),
  );
  return {
    name,
    leaves: items.flatMap(({ value, label }) => [...Object.values(value), ...Object.values(label)]),
    read() {
      const entries: JsonObject[] = [];
      for (const { value, label } of items) {
        const [texts, labels] = [readTexts(kit, value), readTexts(kit, label)];
        // If one entry is unknown, the list stays unchanged, because a shorter list would delete entries.
        if (texts === null || labels === null) return undefined;
        entries.push(...buildEntry(texts, labels));
      }
      const list = withoutRepeats(entries);
      return list.length === 0 ? kit.emptyValue(name) : list;
    },
  };
}

function compileItem(
  path: string,
  item: FieldSource,
  kit: StepKit,
): { readonly value: Leaves; readonly label: Leaves } {
  const tree = treeOf(item);
  if (!('value' in tree)) return { value: compileTexts(path, item, kit), label: {} };
  return {
    value: compileTexts(`${path}.value`, tree.value, kit),
    label: compileTexts(`${path}.label`, tree.label, kit),
  };
}

/** Compiles the texts of a field. A single expression yields the English text. */
function compileTexts(path: string, source: FieldSource | undefined, kit: StepKit): Leaves {
  return compileBranches(kit, path, typeof source === 'string' ? { en: source } : source, 'text');
}

function buildEntry(value: JsonObject, label: JsonObject): readonly JsonObject[] {
  if (Object.keys(value).length === 0) return [];
  return [{ value, ...(Object.keys(label).length === 0 ? {} : { label }) }];
}

function withoutRepeats(entries: readonly JsonObject[]): readonly JsonObject[] {
  return [...new Map(entries.map((entry) => [canonicalJson(entry), entry])).values()];
}

function convertEntries(value: unknown, at: ValuePlace): Json | undefined {
  if (value === undefined) return undefined;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const list = withoutRepeats(
    items.flatMap((item, index) => convertItem(item ?? undefined, { ...at, path: `${at.path}[${index}]` })),
  );
  return list.length === 0 ? undefined : list;
}

function convertItem(item: unknown, at: ValuePlace): readonly JsonObject[] {
  if (!isPlainMap(item)) return buildEntry(convertTexts(item, at), {});
  if (!('value' in item)) return buildEntry(convertTexts(item, at), {});
  const value = convertTexts(item.value, { ...at, path: `${at.path}.value` });
  return buildEntry(value, convertTexts(item.label, { ...at, path: `${at.path}.label` }));
}

/**
 * Converts a text or a map of languages. Other keys are a fault, because the service silently drops them (spec,
 * Conventions 4).
 */
function convertTexts(value: unknown, at: ValuePlace): JsonObject {
  const map = isPlainMap(value) ? value : { en: value };
  const texts: Record<string, Json> = {};
  for (const [language, text] of Object.entries(map)) {
    if (!isLanguage(language)) {
      throw fault(language, at, 'a language such as en, or value and label', 'Correct it in the source.');
    }
    const words = convertText(text ?? undefined, { ...at, path: `${at.path}.${language}` });
    if (words !== undefined) texts[language] = words;
  }
  return texts;
}

function isPlainMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value) && !(value instanceof Date);
}
