import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadPackage } from '../../../src/base/load-package.js';
import { Secret } from '../../../src/base/secrets/secret.js';
import type { SmtpServer } from '../../../src/config/resolve-notify.js';
import { createSender } from '../../../src/operations/notify/channels/table.js';
import { closeAfterTest } from '../../closing.js';
import { makeFolder } from '../../samples.js';

/** The used part of the package `smtp-server`. */
interface ServerPackage {
  readonly SMTPServer: new (
    settings: object,
  ) => {
    readonly server: Server;
    listen(port: number, host: string, done: () => void): void;
    close(done: () => void): void;
  };
}

type Callback = (error: Error | null, answer?: object) => void;

function makeCertificate(): { readonly key: string; readonly cert: string; readonly file: string } {
  const folder = makeFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', ...made, ...subject], { stdio: 'ignore' });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), file: cert };
}

async function openMailServer(settings: object = {}) {
  const mails: string[] = [];
  const logins: string[] = [];
  const { SMTPServer } = loadPackage<ServerPackage>('smtp-server');
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onAuth({ username, password }: { username: string; password: string }, _: object, done: Callback) {
      logins.push(username);
      if (password === 'mail-password') done(null, { user: username });
      else done(new Error('wrong password'));
    },
    onData(stream: AsyncIterable<Buffer>, _: object, done: Callback) {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk);
        mails.push(Buffer.concat(chunks).toString('utf8'));
        done(null);
      })();
    },
    ...settings,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterTest({ close: () => new Promise<void>((resolve) => server.close(resolve)) });
  return { mails, logins, port: (server.server.address() as AddressInfo).port };
}

function send(more: Partial<SmtpServer> & Pick<SmtpServer, 'port'>, title = 'acme: Guard') {
  const server: SmtpServer = {
    ...{ host: 'localhost', tls: 'starttls', ca: null, login: null, timeoutMs: 5_000 },
    ...{ from: 'talent-sync <sync@example.com>', to: ['ops@example.com', 'hr@example.com'] },
    ...more,
  };
  const part = {
    event: 'e1',
    news: 'began',
    headline: 'Guard <b>',
    lines: ['Since 08:05'],
    data: null,
    link: 'https://ops/inbox',
  } as const;
  const message = {
    id: 'message-1',
    tenant: 'acme',
    at: '2026-11-20T07:05:00.000Z',
    title,
    parts: [part],
    link: 'https://ops/inbox',
  };
  const context = { nowMs: 0, signal: new AbortController().signal };
  return createSender({ name: 'mail', type: 'smtp', server })(message, context);
}

test("sends a mail over STARTTLS with its log-in, as text and HTML, under the message's id", async () => {
  const { key, cert } = makeCertificate();
  const { mails, logins, port } = await openMailServer({ key, cert });
  const login = { username: 'sync', password: new Secret('mail-password') };
  expect(await send({ port, ca: cert, login })).toMatchObject({ isTaken: true, failure: null });
  expect(logins).toEqual(['sync']);
  const [mail = ''] = mails;
  expect(mail).toContain('Message-ID: <message-1@talent-sync>');
  expect(mail).toContain('Subject: acme: Guard');
  expect(mail).toContain('To: ops@example.com, hr@example.com');
  expect(mail).toContain('text/plain');
  expect(mail).toContain('&lt;b&gt;</h3>');
  // Once as text, once as HTML.
  expect(mail.split('https://ops/inbox')).toHaveLength(3);
  const wrong = await send({ port, ca: cert, login: { ...login, password: new Secret('another-password') } });
  expect(wrong).toMatchObject({ isTaken: false, failure: 'answered 535' });
  expect(JSON.stringify(wrong)).not.toContain('another-password');
});

test("encodes any tenant's name in the subject, without injecting headers", async () => {
  const { mails, port } = await openMailServer({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
  await send({ port, tls: 'none' }, 'Bjørn & Søn 東京: Guard');
  await send({ port, tls: 'none' }, 'acme\r\nBcc: all@example.com\r\n\r\nText: Guard');
  const [named = '', injected = ''] = mails;
  const subject = /^Subject: (.*(?:\r?\n[ \t].*)*)/m.exec(named)?.[1] ?? '';
  const words = [...subject.matchAll(/=\?UTF-8\?(B|Q)\?([^?]*)\?=/gi)].map(([, how, text = '']) =>
    how?.toUpperCase() === 'B'
      ? Buffer.from(text, 'base64')
      : Buffer.from(
          text.replaceAll('_', ' ').replaceAll(/=(\w\w)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
          'latin1',
        ),
  );
  expect(Buffer.concat(words).toString('utf8')).toContain('東京');
  expect(injected.split(/\r?\n\r?\n/)[0]).not.toMatch(/^Bcc:/im);
});

test('sends nothing without encryption or a trusted certificate, except to this machine with `none`', async () => {
  const plain = await openMailServer({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
  expect(await send({ port: plain.port })).toMatchObject({ isTaken: false });
  expect(await send({ port: plain.port, tls: 'none' })).toMatchObject({ isTaken: true });
  expect(plain.mails).toHaveLength(1);
  const strange = await openMailServer({ ...makeCertificate() });
  expect(await send({ port: strange.port })).toMatchObject({
    isTaken: false,
    failure: expect.stringContaining('not sent'),
  });
  expect(strange.mails).toEqual([]);
  const { key, cert } = makeCertificate();
  const implicit = await openMailServer({ key, cert, secure: true });
  expect(await send({ port: implicit.port, ca: cert, tls: 'implicit' })).toMatchObject({ isTaken: true });
});

test('gives up in time on a silent server or a stop', async () => {
  const silent = await openMailServer({ onConnect: () => undefined });
  expect(await send({ port: silent.port, tls: 'none', timeoutMs: 200 })).toMatchObject({ isTaken: false });
});
