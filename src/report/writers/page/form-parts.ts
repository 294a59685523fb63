import { escapeHtml, type Html, type HtmlPiece, html } from './html-text.js';

/** Attributes of an element by name. `true` writes an attribute without a value; null and false omit the attribute. */
export type Attributes = Readonly<Record<string, string | number | boolean | null>>;

/** ` name="reason" required`, with the space before it. */
export function showAttributes(attributes: Attributes): Html {
  const shown = Object.entries(attributes).map(([name, value]) => {
    if (value === null || value === false) return '';
    return value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`;
  });
  return { html: shown.join('') };
}

export function renderInput(attributes: Attributes): Html {
  return html`<input${showAttributes(attributes)}>`;
}

/** Hidden fields of a form. */
export function renderHidden(fields: Readonly<Record<string, string>>): Html {
  return html`${Object.entries(fields).map(([name, value]) => renderInput({ type: 'hidden', name, value }))}`;
}

/** A posted form with its style, its target (by default its own page) and its hidden fields. */
export interface PostForm {
  readonly look: 'inline' | 'line' | 'record' | 'tools decide';
  readonly id?: string;
  readonly action?: string;
  readonly hidden: Readonly<Record<string, string>>;
  readonly hasFile?: boolean;
}

export function renderPost({ look, id, action, hidden, hasFile }: PostForm, body: HtmlPiece): Html {
  const enctype = hasFile === true ? 'multipart/form-data' : null;
  const attributes = { class: look, id: id ?? null, method: 'post', action: action ?? null, enctype };
  return html`<form${showAttributes(attributes)}>${renderHidden(hidden)}${body}</form>`;
}

/** An input with a label before it. */
export function renderLabelled(label: string, attributes: Attributes & { readonly id: string }): Html {
  return html`<label for="${attributes.id}">${label}</label>${renderInput(attributes)}`;
}

/** An input with a label, as a separate field of a record. */
export function renderField(label: string, attributes: Attributes & { readonly id: string }): Html {
  return html`<p class="field">${renderLabelled(label, attributes)}</p>`;
}

/** A checkbox with a label after it. */
export function renderBox(label: string | Html, attributes: Attributes): Html {
  return html`<label>${renderInput({ type: 'checkbox', ...attributes })} ${label}</label>`;
}

export interface SelectOption {
  readonly value: string;
  readonly text: string;
  /** The heading above the option in the list. */
  readonly group?: string;
}

export function renderSelect(
  attributes: Attributes,
  options: readonly SelectOption[],
  chosen: string | null = null,
): Html {
  const groups = [...new Set(options.map(({ group }) => group))];
  const parts = groups.map((group) => {
    const own = options
      .filter((option) => option.group === group)
      .map(({ value, text }) => html`<option${showAttributes({ value, selected: value === chosen })}>${text}</option>`);
    return group === undefined ? html`${own}` : html`<optgroup label="${group}">${own}</optgroup>`;
  });
  return html`<select${showAttributes(attributes)}>${parts}</select>`;
}

/** An action that takes two clicks. The first click only shows the action. */
export function renderRemoval(summary: string, body: Html, isOpen = false): Html {
  return html`<details class="removal"${showAttributes({ open: isOpen })}><summary>${summary}</summary>${body}</details>`;
}
