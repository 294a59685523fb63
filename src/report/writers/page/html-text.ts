/** Text that is already HTML. All other values are escaped when inserted. */
export interface Html {
  readonly html: string;
}
export type HtmlPiece = string | number | Html | null | readonly HtmlPiece[];

const ENTITY: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITY[character] ?? '');
}

/** A template that escapes every value unless it is HTML, so that a missing escape cannot happen. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlPiece[]): Html {
  return { html: strings.map((text, i) => text + (i < values.length ? write(values[i] ?? null) : '')).join('') };
}

function write(piece: HtmlPiece): string {
  if (piece === null) return '';
  if (typeof piece === 'string') return escapeHtml(piece);
  if (typeof piece === 'number') return String(piece);
  return 'html' in piece ? piece.html : piece.map(write).join('');
}

/** A value from the data, isolated so that right-to-left text does not reorder the words around it. */
export function value(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/** Renders text between backticks as code: a command to type, or an expression. */
export function showText(text: string): Html {
  const parts = text.split('`');
  // An unpaired backtick is an ordinary character.
  if (parts.length % 2 === 0) return value(text);
  return html`${parts.map((part, i) => {
    if (i % 2 === 1) return html`<code>${part}</code>`;
    return part === '' ? null : value(part);
  })}`;
}

/** `12345` → `12 345` with a narrow space, which no language reads as a decimal point. */
export function formatNumber(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** Groups the digits of counts in our own texts. Dates and ids stay unchanged. */
export function groupDigits(words: string): string {
  return words.replace(/(?<![\w.:-])\d{4,}(?![\w:-]|\.\w)/g, (count) => formatNumber(Number(count)));
}

/** JSON for a script element. No text in it can end the element. */
export function scriptJson(data: unknown): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}
