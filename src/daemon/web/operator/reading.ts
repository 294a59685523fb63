import { capitalise } from '../../../report/sections/words.js';
import { type Html, html, showText } from '../../../report/writers/page/html-text.js';
import { PERSONAL_ENTITIES, SHOWN_FIELDS } from '../../../store/audit/people.js';
import { EMAIL, labelOf, pseudonymOf } from '../../../store/audit/pseudonyms.js';
import { UNSHOWN, veilCause, type WaitingAbout } from '../../../store/audit/veil-cause.js';
import type { AuditStore } from '../../../store/state/audit-store.js';
import type { WebRequest } from './route.js';

/** Shows a tenant's texts as the reader may see them. */
export interface Reading {
  /** The key for pseudonyms, the same as in the audit log; null if the reader sees real names. */
  readonly key: string | null;
  readonly veil: (text: string) => string;
  readonly show: (text: string) => Html;
  /** Hides a display name: `Jane Doe <jane@example.com>`. */
  readonly veilName: (label: string) => string;
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
  const veilName = (label: string): string => (key === null ? label : labelOf(key, label));
  return { key, veil, veilName, show: (text) => showText(veil(text)) };
}

/** Creates a reading without a state, which may be unusable. Without a key, readers who see no names see no addresses either. */
export function readingOffline({ accessTo, tenant }: Pick<WebRequest, 'accessTo' | 'tenant'>): Reading {
  const isVeiled = accessTo(tenant?.name ?? '')?.pseudonyms === true;
  const key = isVeiled ? (tenant?.status?.facts?.pseudonymKey ?? null) : null;
  if (!isVeiled || key !== null) return readingWith(key);
  const veil = (text: string): string => text.replaceAll(EMAIL, HIDDEN);
  return { key: '', veil, veilName: () => HIDDEN, show: (text) => showText(veil(text)) };
}

const HIDDEN = '(hidden)';

/** The cause of a pending item, as the reader may see it. */
export function showCause({ key, show }: Reading, about: WaitingAbout, text: string): Html {
  const cause = key === null ? text : veilCause(key, about, text);
  return cause === UNSHOWN ? html`<span class="muted">${UNSHOWN}</span>` : show(capitalise(wordCause(cause)));
}

/** The cause of a guard in the words of a page: `real events` means that nothing suggests an error. */
export function wordCause(cause: string): string {
  return cause.replace(/^real events/, 'probably real');
}

export function showField({ key, show }: Reading, entity: string, { field, text }: ShownField): Html {
  return show(key === null || text === NONE ? text : veilField(key, entity, { field, text }));
}

/** Shows a field to a reader of pseudonyms. Addresses in its text are replaced elsewhere. */
export function veilField(key: string, entity: string, { field, text }: ShownField): string {
  const isOpen = !PERSONAL_ENTITIES.has(entity) || SHOWN_FIELDS.has(field.replace(/\..*$/, ''));
  return isOpen ? text : pseudonymOf(key, text);
}

interface ShownField {
  /** `title.no` */
  readonly field: string;
  readonly text: string;
}

const NONE = '(empty)';
