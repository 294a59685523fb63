import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadBackend } from '../../src/config/load-backend.js';
import { loadWeb } from '../../src/config/load-web.js';
import { closeAfterTest } from '../closing.js';

const URL = 'postgres://talent:secret@db.example.com/talent';

function folderWith(daemonYaml: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-backend-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true }) });
  writeFileSync(join(folder, 'daemon.yaml'), daemonYaml);
  writeFileSync(join(folder, 'ca.pem'), 'a certificate');
  return folder;
}

const load = (postgres: string) => loadBackend(folderWith(`backend: { postgres: ${postgres} }\n`), { URL });

test('reads an address from its secret, and if the connection is encrypted', () => {
  const settings = load('{ url: { env: URL }, ca: ./ca.pem }');
  expect(settings?.url.reveal()).toBe(URL);
  expect(settings).toMatchObject({ ca: 'a certificate', isEncrypted: true });
  expect(load('{ url: { env: URL }, tls: off }')).toMatchObject({ ca: null, isEncrypted: false });
  const folder = folderWith(
    'web: { listen: "127.0.0.1:0", state: ./web }\nbackend: { postgres: { url: { env: URL } } }\n',
  );
  expect(loadBackend(folder, { URL })).toMatchObject({ isEncrypted: true });
  expect(loadWeb(folder, {}, false)).not.toBeNull();
  expect(loadBackend(join(folder, 'nowhere'), {})).toBeNull();
});

test.each([
  ['{ url: postgres://talent@db/talent }', 'SYNC_CONFIG_INVALID', 'url'],
  ['{ url: { env: URL }, tls: prefer }', 'SYNC_CONFIG_INVALID', 'tls'],
  ['{ url: { env: URL }, ca: ./nothing.pem }', 'SYNC_CONFIG_INVALID', 'ca'],
  ['{ url: { env: NOTHING } }', 'SYNC_CONFIG_SECRET', 'url'],
])('rejects %s', (postgres, code, key) => {
  const error = expect.objectContaining({
    code,
    problems: [expect.objectContaining({ place: expect.stringContaining(`backend.postgres.${key}`) })],
  });
  expect(() => load(postgres)).toThrow(error);
});
