import { isJsonObject } from '../../model/json.js';
import { sha256 } from '../../model/sha256.js';
import {
  type Attributes,
  renderBox,
  renderInput,
  renderPost,
  renderSelect,
  type SelectOption,
  showAttributes,
  renderRemoval as showRemoval,
} from '../../report/writers/page/form-parts.js';
import { type Html, type HtmlPiece, html } from '../../report/writers/page/html-text.js';
import type { Texts } from '../fields/languages.js';
import { refuse } from '../fields/refusal.js';
import type { Body } from '../fields/values.js';
import type { PageRequest } from './page.js';
import { nameField, nameLanguage } from './words.js';

/**
 * A field of a form with its name in the API. `texts` has a line per language, and `paragraphs` several lines per language.
 * `choice` allows one option, and `choices` any number.
 */
export interface FormField {
  readonly name: string;
  readonly is: 'line' | 'number' | 'flag' | 'texts' | 'paragraphs' | 'choice' | 'choices';
  readonly options?: readonly SelectOption[];
  readonly label?: string;
  readonly hint?: string;
  readonly isRequired?: true;
}

export function linesOf(...names: readonly string[]): readonly FormField[] {
  return names.map((name) => ({ name, is: 'line' }));
}

export function textsOf(...names: readonly string[]): readonly FormField[] {
  const isLong = (name: string): boolean =>
    /_description|context|introduction|notes|summary|tag_line|^value$/.test(name);
  return names.map((name) => ({ name, is: isLong(name) ? 'paragraphs' : 'texts' }));
}

/** A form of a page with its record. The record is empty if the form creates one. */
export interface RecordForm {
  /** The page action that the form triggers. */
  readonly action: string;
  readonly fields: readonly FormField[];
  readonly record: Body;
  readonly button: string;
  readonly hidden?: Readonly<Record<string, string>>;
}

export function renderForm(page: PageRequest, form: RecordForm): Html {
  const typed = findTyped(page, form);
  const fields = form.fields.map((field) => renderField(page, form, field, typed));
  const { action, record, hidden } = form;
  const unseen = { do: action, seen: markOf(form.fields, record), ...hidden };
  const body = html`<div class="fields">${fields}</div><p><button class="main">${form.button}</button></p>`;
  return renderPost({ look: 'record', hidden: unseen }, body);
}

/** Renders a form on one line, for actions that need little more than a click. */
export function renderLineForm(action: string, button: string, body: HtmlPiece): Html {
  return renderPost({ look: 'line', hidden: { do: action } }, [body, html`<button>${button}</button>`]);
}

/** Renders a form with one button, for actions that need only a click. */
export function renderButton(action: string, text: string, hidden: Readonly<Record<string, string>> = {}): Html {
  return renderPost({ look: 'inline', hidden: { do: action, ...hidden } }, html`<button>${text}</button>`);
}

/** Renders a button that needs a second click, because the action cannot be undone. */
export function renderRemoval(action: string, text: string, hidden: Readonly<Record<string, string>> = {}): Html {
  return showRemoval(`${text}…`, renderButton(action, `${text}: yes, now`, hidden));
}

/** Computes a digest of the form's fields, to detect changes. */
function markOf(fields: readonly FormField[], record: Body): string {
  return sha256(JSON.stringify(fields.map(({ name }) => record[name] ?? null))).slice(0, 16);
}

function isSameForm({ action, hidden = {} }: Pick<RecordForm, 'action' | 'hidden'>, sent: URLSearchParams): boolean {
  return sent.get('do') === action && Object.entries(hidden).every(([name, text]) => sent.get(name) === text);
}

function findTyped({ refusal }: PageRequest, form: RecordForm): URLSearchParams | null {
  return refusal !== null && isSameForm(form, refusal.form) ? refusal.form : null;
}

function renderField(
  { world }: PageRequest,
  { action, record, hidden = {} }: RecordForm,
  field: FormField,
  typed: URLSearchParams | null,
): Html {
  const { name, is, hint } = field;
  const label = field.label ?? nameField(name);
  const id = ['f', action, ...Object.values(hidden), name].join('-').replace(/[^\w-]/g, '');
  const note = hint === undefined ? null : html`<small class="muted">${hint}</small>`;
  if (is === 'flag') {
    const isOn = typed === null ? record[name] === true : typed.has(name);
    return html`<p class="field flag">${renderBox(label, { name, checked: isOn })}${note}</p>`;
  }
  if (is === 'choices') return renderChoices(field, label, typed?.getAll(name) ?? listOf(record[name]));
  if (is === 'texts' || is === 'paragraphs') {
    const texts = textsIn(record[name]);
    const languages = [...new Set([...world.account.languages, ...Object.keys(texts)])];
    const inputs = languages.map((code) => {
      const text = typed?.get(`${name}.${code}`) ?? texts[code] ?? '';
      const own = { id: `${id}-${code}`, name: `${name}.${code}`, lang: code };
      const input = is === 'texts' ? renderLine(own, text) : renderParagraphs(own, text);
      return html`<label for="${id}-${code}" class="tongue" title="${nameLanguage(code)}">${code}<span class="hidden"> ${label}</span></label>${input}`;
    });
    return html`<fieldset class="field ${is}"><legend>${label}</legend><div class="tongues">${inputs}</div>${note}</fieldset>`;
  }
  const text = typed?.get(name) ?? textIn(record[name]);
  const own = { id, name };
  const more = { inputmode: is === 'number' ? 'numeric' : null, required: field.isRequired === true };
  const input = is === 'choice' ? renderChoice(own, field.options ?? [], text) : renderLine(own, text, more);
  return html`<p class="field"><label for="${id}">${label}</label>${input}${note}</p>`;
}

/** Browsers remove line breaks from the value of an input, which would change the text. */
function renderLine(own: Attributes, text: string, more: Attributes = {}): Html {
  if (/[\r\n]/.test(text) || text.length > 90) return renderParagraphs(own, text);
  return renderInput({ ...own, value: text, dir: 'auto', autocomplete: 'off', ...more });
}

function renderParagraphs(own: Attributes, text: string): Html {
  const rows = Math.min(12, Math.max(1, Math.ceil(text.length / 80), text.split('\n').length));
  // HTML parsers remove a leading line break.
  return html`<textarea${showAttributes({ ...own, rows, dir: 'auto' })}>\n${text}</textarea>`;
}

/** Renders a choice. An unknown value stays an option until another one is chosen. */
export function renderChoice(own: Attributes, options: readonly SelectOption[], chosen: string): Html {
  const isKnown = options.some((option) => option.value === chosen);
  const kept = isKnown ? [] : [{ value: chosen, text: chosen === '' ? '–' : chosen }];
  return renderSelect(own, [...kept, ...options], chosen);
}

function renderChoices({ name, options = [], hint }: FormField, label: string, chosen: readonly string[]): Html {
  const boxes = options.map(({ value: key, text, group }) => {
    const under = group === undefined ? null : html` <span class="muted">${group}</span>`;
    return renderBox(html`${text}${under}`, { name, value: key, checked: chosen.includes(key) });
  });
  const note = hint === undefined ? null : html`<small class="muted">${hint}</small>`;
  return html`<fieldset class="field choices"><legend>${label}</legend><div>${boxes}</div>${note}</fieldset>`;
}

/** Reads the fields that the user changed, as the body of a call. Unchanged fields are not included. */
export function readChanges({ fields, record }: Pick<RecordForm, 'fields' | 'record'>, form: URLSearchParams): Body {
  if (form.get('seen') !== markOf(fields, record)) {
    refuse(
      409,
      'Someone else changed this in the meantime, so your input was not saved. Compare it below, and save again.',
    );
  }
  const changes = fields.flatMap((field) => {
    const { before, after } = compareField(field, record[field.name], form);
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [[field.name, after]];
  });
  return Object.fromEntries(changes);
}

/** Sends the changes in the form. If there are none, it makes no call. */
export function saveChanges(page: PageRequest, form: RecordForm, write: (changes: Body) => unknown): unknown {
  const changes = readChanges(form, page.form);
  return Object.keys(changes).length === 0 ? `${page.path}?done=same` : write(changes);
}

function compareField({ name, is }: FormField, stored: unknown, form: URLSearchParams) {
  switch (is) {
    case 'flag':
      return { before: stored === true, after: form.has(name) };
    case 'choices':
      return compareSets(listOf(stored), form.getAll(name));
    case 'texts':
    case 'paragraphs':
      return { before: sortTexts(textsIn(stored)), after: sortTexts(readTyped(name, form)) };
    case 'line':
    case 'number':
    case 'choice':
      return { before: textIn(stored), after: toLines(form.get(name) ?? '') };
  }
}

/** Compares two sets and ignores the order. */
function compareSets(before: readonly string[], after: readonly string[]) {
  const isSame = before.length === after.length && after.every((one) => before.includes(one));
  return { before, after: isSame ? before : after };
}

function readTyped(name: string, form: URLSearchParams): Texts {
  const all = [...form].filter(([key]) => key.startsWith(`${name}.`));
  return Object.fromEntries(all.map(([key, text]) => [key.slice(name.length + 1), toLines(text)]));
}

function sortTexts(texts: Texts): Texts {
  const filled = Object.entries(texts).filter(([, text]) => text !== '');
  return Object.fromEntries(filled.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Splits a text into lines. Browsers end lines of a form with CRLF. */
function toLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

export function textsIn(stored: unknown): Texts {
  return isJsonObject(stored) ? (stored as Texts) : {};
}

function textIn(stored: unknown): string {
  return stored === null || stored === undefined ? '' : String(stored);
}

function listOf(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? stored.map(String) : [];
}
