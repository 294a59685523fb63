import { isoNow } from '../../../base/clock.js';
import { asSyncError } from '../../../base/errors.js';
import type { Identity } from '../../../config/access/identity.js';
import { findAccess, isRoleUnknown } from '../../../config/access/roles.js';
import { renderField } from '../../../report/writers/page/form-parts.js';
import { html } from '../../../report/writers/page/html-text.js';
import { loginCookie, noteRejected, ofToken } from './identify.js';
import { findRejectedPerson, type PendingLogin } from './openid-login.js';
import { renderPosted } from './pages/form-parts.js';
import { readGoal } from './read-goal.js';
import { type Onward, type OperatorPage, WebRefusal, type WebRequest, type WebRoute } from './route.js';

const PENDING = 'talent-sync-login';
const PENDING_SECONDS = 600;

export const LOGIN_ROUTES: readonly WebRoute[] = [
  { method: 'GET', path: '/login', audience: 'anybody', answer: showLogin },
  { method: 'POST', path: '/login/token', audience: 'anybody', answer: logInByToken },
  { method: 'GET', path: '/login/openid', audience: 'anybody', answer: beginOpenId },
  { method: 'GET', path: '/login/openid/done', audience: 'anybody', answer: finishOpenId },
  { method: 'POST', path: '/logout', audience: 'logged in', answer: logOut },
];

/** A log-in without another goal leads to the inbox. */
function readLanding(to: string | null): string {
  const goal = readGoal(to);
  return goal === '/' ? '/inbox' : goal;
}

function showLogin(request: WebRequest): OperatorPage | Onward {
  const { settings, query, person } = request;
  const to = readLanding(query.get('to'));
  if (person !== null) return { to };
  const byProvider =
    settings.openid === null
      ? null
      : html`<p><a class="button main" href="/login/openid?to=${encodeURIComponent(to)}">Log in with ${new URL(settings.openid.issuer).host}</a></p>`;
  const byToken = settings.tokens
    ? renderPosted(
        request,
        { look: 'record', action: '/login/token', hidden: { to } },
        html`${renderField('Personal token', { id: 'token', name: 'token', type: 'password', autocomplete: 'off', required: true })}
<p><button class="main">Log in</button></p><p class="muted">An operator gives you one: <code>talent-sync operator add you@example.com --role viewer</code></p>`,
      )
    : null;
  const byProxy = settings.proxy === null ? null : html`<p>Open these pages through the proxy that logs you in.</p>`;
  return { title: 'Log in', under: '', body: html`${byProvider}${byToken}${byProxy}` };
}

async function logInByToken(request: WebRequest): Promise<Onward | OperatorPage> {
  const { parts, settings, form, raw } = request;
  const token = (form.get('token') ?? '').trim();
  const found = settings.tokens ? parts.operators.store.findToken(token, isoNow(parts.clock)) : null;
  if (found === null) {
    noteRejected(parts, raw, { via: 'token', operator: parts.operators.store.ownerOf(token) });
    throw new WebRefusal(401, 'This token is unknown or has expired.');
  }
  await keepLogin(request, ofToken(found.who), found.id);
  return { to: readLanding(form.get('to')) };
}

async function beginOpenId(request: WebRequest): Promise<Onward> {
  const { parts, query, reply, settings } = request;
  if (parts.openid === null) throw new WebRefusal(404, 'There is no log-in by an identity provider.');
  const { address, pending } = await refusing(request, parts.openid.begin(readLanding(query.get('to'))));
  reply.setCookie(PENDING, JSON.stringify(pending), {
    ...cookieOptions(settings.publicUrl),
    path: '/login/openid',
    maxAge: PENDING_SECONDS,
    signed: true,
  });
  return { to: address };
}

async function finishOpenId(request: WebRequest): Promise<Onward> {
  const { parts, settings, cookies, reply, raw } = request;
  const { value } = reply.unsignCookie(cookies[PENDING] ?? '');
  // The cookie is signed, so only this daemon can have created it.
  const pending = value === null ? null : (JSON.parse(value) as PendingLogin);
  reply.clearCookie(PENDING, { path: '/login/openid' });
  if (parts.openid === null || pending === null) {
    noteRejected(parts, raw, { via: 'openid', operator: null, because: 'It was not started in this browser.' });
    throw new WebRefusal(400, 'This log-in was started in another browser, or too long ago. Start again.');
  }
  const callback = new URL(`${settings.publicUrl ?? ''}${raw.url}`);
  await keepLogin(request, await refusing(request, parts.openid.finish(callback, pending)), null);
  return { to: readLanding(pending.to) };
}

async function refusing<T>({ parts, raw }: WebRequest, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const error = asSyncError(thrown);
    if (error.code !== 'SYNC_WEB_LOGIN') throw thrown;
    noteRejected(parts, raw, { via: 'openid', operator: findRejectedPerson(error), because: error.message });
    throw new WebRefusal(502, error.message);
  }
}

/** Creates a new session under a new name at every log-in, and ends the browser's earlier session. */
async function keepLogin(
  { parts, settings, reply, cookies }: WebRequest,
  person: Identity,
  token: string | null,
): Promise<void> {
  const { operators, clock, logger, daemon } = parts;
  const { idleMs, longestMs, publicUrl } = settings;
  const nowMs = clock.now();
  const name = loginCookie(settings);
  const before = cookies[name];
  const login = { who: person.who, person: JSON.stringify(person), token, atMs: nowMs, seenMs: nowMs };
  const kept = await operators.change((store) => {
    if (before !== undefined) store.endLogin(before);
    store.forgetOld({ nowMs, idleMs, longestMs });
    return store.addLogin(login);
  });
  reply.setCookie(name, kept, {
    ...cookieOptions(publicUrl),
    path: '/',
    maxAge: Math.floor(longestMs / 1_000),
  });
  logger.info({ operator: person.who, via: person.via }, 'logged in');
  const grants = [...settings.grants, ...operators.store.grantsOf(person.who)];
  if (!daemon.list().some(({ name: tenant }) => findAccess(person, tenant, grants) !== null))
    logger.warn({ operator: person.who, via: person.via }, 'logged in without a role for any tenant');
  const { who: operator, unknownGroups: because } = person;
  if (isRoleUnknown(person, settings.grants))
    logger.warn({ operator, because }, 'no groups in the log-in: no role by a group');
}

async function logOut({ parts, settings, cookies, reply, person }: WebRequest): Promise<Onward> {
  const name = loginCookie(settings);
  const cookie = cookies[name];
  if (cookie !== undefined) await parts.operators.change((store) => store.endLogin(cookie));
  reply.clearCookie(name, { path: '/', secure: settings.publicUrl?.startsWith('https:') === true });
  parts.logger.info({ operator: person?.who }, 'logged out');
  return { to: '/login' };
}

/** The cookie is `lax`, so a link in a message works for someone who is logged in. Every change is a POST. */
export function cookieOptions(publicUrl: string | null) {
  return { httpOnly: true, sameSite: 'lax', secure: publicUrl?.startsWith('https:') === true } as const;
}
