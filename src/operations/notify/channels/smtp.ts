import { Socket } from 'node:net';
import { codeOf, messageOf } from '../../../base/errors.js';
import { loadPackage } from '../../../base/load-package.js';
import { hideSecrets } from '../../../base/secrets/secret.js';
import type { ChannelConfig, SmtpServer } from '../../../config/resolve-notify.js';
import { cleanLine } from '../../../model/clean-text.js';
import { html } from '../../../report/writers/page/html-text.js';
import { linkOnce, type Message } from '../message.js';
import type { SendContext, SendMessage, SendResult } from './channel.js';

/** The used part of the mail package. The package is loaded on demand, because few runs need it. */
interface MailPackage {
  createTransport(settings: object): {
    sendMail(mail: object): Promise<{ readonly response: string; readonly rejected?: readonly unknown[] }>;
    close(): void;
  };
}

/** Sends text and simple HTML. The mail has the id of the message, so that a mail server recognises a repetition. */
export function createSmtp({ server }: Extract<ChannelConfig, { type: 'smtp' }>): SendMessage {
  return (message, context) => sendMail(server, linkOnce(message), context);
}

async function sendMail(server: SmtpServer, message: Message, { signal }: SendContext): Promise<SendResult> {
  const { createTransport } = loadPackage<MailPackage>('nodemailer');
  // Use our own socket, so that a stop or a slow server can end the connection immediately.
  const socket = new Socket();
  const end = AbortSignal.any([signal, AbortSignal.timeout(server.timeoutMs)]);
  const stop = (): void => void socket.destroy(new Error('stopped'));
  end.addEventListener('abort', stop, { once: true });
  const transport = createTransport({ ...describeServer(server), socket });
  try {
    const { response, rejected = [] } = await transport.sendMail({
      from: server.from,
      to: server.to,
      subject: message.title,
      text: toText(message),
      html: toHtml(message),
      messageId: `<${message.id}@talent-sync>`,
      headers: { 'auto-submitted': 'auto-generated' },
    });
    const refused = rejected.length === 0 ? '' : `; ${rejected.length} of ${server.to.length} addresses rejected`;
    return { isTaken: true, failure: null, answer: clean(`${response}${refused}`), retryAfterMs: null };
  } catch (error) {
    const { responseCode, response } = error as { readonly responseCode?: number; readonly response?: string };
    const code = responseCode === undefined ? (codeOf(error) ?? 'connection broken') : String(responseCode);
    const failure = responseCode === undefined ? `not sent (${code})` : `answered ${code}`;
    return { isTaken: false, failure, answer: clean(response ?? messageOf(error)), retryAfterMs: null };
  } finally {
    end.removeEventListener('abort', stop);
    transport.close();
    socket.destroy();
  }
}

function clean(text: string): string {
  return cleanLine(hideSecrets(text)).slice(0, 200);
}

function describeServer({ host, port, tls, ca, login, timeoutMs }: SmtpServer): object {
  return {
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(ca === null ? {} : { tls: { ca } }),
    ...(login === null ? {} : { auth: { user: login.username, pass: login.password.reveal() } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function toText({ parts, link }: Message): string {
  const told = parts.map(({ headline, lines, link: own }) =>
    [headline, ...lines.map((line) => `  ${line}`), ...(own === null ? [] : [`  ${own}`])].join('\n'),
  );
  return `${[...told, ...(link === null ? [] : [link])].join('\n\n')}\n`;
}

function toHtml({ title, parts, link }: Message): string {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body style="font-family: sans-serif">${parts.map(
    ({ headline, lines, link: own }) => html`<h3>${headline}</h3>
<p>${lines.map((line) => html`${line}<br>`)}</p>${own === null ? null : html`<p><a href="${own}">Look at it</a></p>`}`,
  )}${link === null ? null : html`<p><a href="${link}">Open talent-sync</a></p>`}</body></html>`.html;
}
