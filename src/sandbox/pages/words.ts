import { type Html, html, value } from '../../report/writers/page/html-text.js';
import type { Texts } from '../fields/languages.js';

const WRITTEN: Readonly<Record<string, string>> = { upn: 'UPN', url: 'URL', cv: 'CV', cvs: 'CVs', email: 'e-mail' };

/** Makes the API name of a field readable: `profile_updated_at` becomes `Profile updated at`. */
export function nameField(field: string): string {
  const words = field.replaceAll('_', ' ').replace(/\b(?:upn|url|cvs?|email)\b/g, (word) => WRITTEN[word] ?? word);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the text in the account's language, or else in any language. It is never empty, so that it can be a link. */
export function nameOf(texts: Texts | undefined, languages: readonly string[]): string {
  const filled = (text: string | undefined): boolean => text !== undefined && text.trim() !== '';
  const found = [...languages.map((code) => texts?.[code]), ...Object.values(texts ?? {})].find(filled);
  return found ?? '(no name)';
}

/** Formats a time in UTC: `2026-01-31 08:00:00`. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

const LANGUAGE_NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });
const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

export function nameLanguage(code: string): string {
  return LANGUAGE_NAMES.of(code) ?? code;
}

export function nameCountry(code: string): string {
  return COUNTRY_NAMES.of(code.toUpperCase()) ?? code;
}

export function renderLink(address: string, text: string): Html {
  return html`<a href="${address}">${value(text)}</a>`;
}

/** Builds a path from segments and encodes them. */
export function pathTo(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

export function renderBadge(text: string, tone: 'good' | 'warn' | 'bad' | 'plain' = 'plain'): Html {
  return html`<span class="badge tone-${tone}">${text}</span>`;
}

/** Renders a text in all its languages, each with its code. */
export function renderTexts(texts: Texts): Html {
  const filled = Object.entries(texts).filter(([, text]) => text !== '');
  return html`${filled.map(
    ([code, text]) =>
      html`<span class="said"><span class="tongue" title="${nameLanguage(code)}">${code}</span> <span class="text" dir="auto" lang="${code}">${text}</span></span>`,
  )}`;
}
