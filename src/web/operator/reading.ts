import { EMAIL, pseudonymOf } from '../../audit/pseudonyms.js';
import { type Html, html, value } from '../../report/writers/page/html-text.js';
import type { AuditStore } from '../../store/state/audit-store.js';
import type { WebRequest } from './route.js';

/** A tenant's texts as the person who asks may see them. */
export interface Reading {
  /** What pseudonyms are made with, which are those of the audit; null for who sees people as they are. */
  readonly key: string | null;
  readonly veil: (text: string) => string;
  readonly show: (text: string) => Html;
}

export function readingFor(
  { accessTo, tenant }: Pick<WebRequest, 'accessTo' | 'tenant'>,
  audit: Pick<AuditStore, 'makePseudonymKey'>,
): Reading {
  const isVeiled = accessTo(tenant?.name ?? '')?.pseudonyms === true;
  return readingWith(isVeiled ? audit.makePseudonymKey() : null);
}

export function readingWith(key: string | null): Reading {
  const veil = (text: string): string =>
    key === null ? text : text.replaceAll(EMAIL, (email) => pseudonymOf(key, email));
  return { key, veil, show: (text) => showText(veil(text)) };
}

/** What is between backticks is code: a command to type, an expression. */
export function showText(text: string): Html {
  const parts = text.split('`');
  // A lone one is a character like any other.
  if (parts.length % 2 === 0) return value(text);
  return html`${parts.map((part, i) => (i % 2 === 0 ? value(part) : html`<code>${part}</code>`))}`;
}
