import { createVerify, generateKeyPairSync } from 'node:crypto';
import { expect, it, test } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import { signJwt } from '../../../src/connectors/http/jwt.js';
import type { Json } from '../../../src/model/json.js';
import { catchSyncError, NOW } from '../fixtures.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const readPart = (jwt: string, part: number): Json =>
  JSON.parse(Buffer.from(jwt.split('.')[part] ?? '', 'base64url').toString()) as Json;

it.each([
  ['in PEM format', PEM],
  ['with escaped line breaks', PEM.replaceAll('\n', '\\n')],
])('signs a JWT with a key %s', (_, pem) => {
  const jwt = signJwt({ iss: 'sync', aud: 'https://login.example/token' }, new Secret(pem), NOW + 1);
  const [header, claims, signature = ''] = jwt.split('.');
  const isSigned = createVerify('RSA-SHA256')
    .update(`${header}.${claims}`)
    .verify(publicKey, Buffer.from(signature, 'base64url'));
  const iat = NOW / 1_000;
  expect([isSigned, readPart(jwt, 0), readPart(jwt, 1)]).toEqual([
    true,
    { alg: 'RS256', typ: 'JWT' },
    { iss: 'sync', aud: 'https://login.example/token', iat, exp: iat + 3_600 },
  ]);
});

test.each([
  ['text', 'not a key'],
  ['a truncated key', PEM.slice(0, 900)],
  [
    'a key of another kind',
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  ],
])('rejects %s without quoting it', async (_, text) => {
  const error = await catchSyncError((async () => signJwt({}, new Secret(text), NOW))());
  expect(error).toMatchObject({ code: 'SYNC_SOURCE_DENIED', place: 'auth.private_key' });
  expect(`${error.message}${error.remedy}${String(error.cause)}`).not.toContain(text.slice(30, 60) || text);
});
