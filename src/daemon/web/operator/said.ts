import { type Html, html } from '../../../report/writers/page/html-text.js';
import { cookieOptions } from './login-routes.js';
import type { WebRequest } from './route.js';

const COOKIE = 'said';
/** The next page is loaded immediately, but a run that it waits for may take a while. */
const KEPT_SECONDS = 300;

type Answering = Pick<WebRequest, 'reply' | 'settings' | 'cookies'>;

/** Keeps the message about a decision for the next page. The cookie is signed, so no other page can write a message. */
export function keepSaid({ reply, settings }: Answering, text: string): void {
  const options = { ...cookieOptions(settings.publicUrl), path: '/', maxAge: KEPT_SECONDS, signed: true };
  reply.setCookie(COOKIE, text, options);
}

/** Shows the kept message, and forgets it. The focus moves to the message, so a screen reader reads it. */
export function renderSaid({ reply, cookies }: Answering): Html | null {
  const kept = cookies[COOKIE];
  if (kept === undefined) return null;
  reply.clearCookie(COOKIE, { path: '/' });
  const { value } = reply.unsignCookie(kept);
  if (value === null) return null;
  return html`<p class="notice tone-good" id="said" role="status" tabindex="-1" autofocus>${value}</p>`;
}
