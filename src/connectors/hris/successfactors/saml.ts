import { createHash, createPrivateKey, createSign, type KeyObject, randomUUID } from 'node:crypto';
import { SyncError } from '../../../base/errors.js';

/** The client and user that log in, and the token endpoint. */
export interface SamlSubject {
  /** The key of the registered client. */
  readonly apiKey: string;
  readonly user: string;
  readonly tokenUrl: string;
  readonly privateKey: string;
}

/**
 * The time before and after now for which an assertion is valid. It allows for differing clocks; the token is requested
 * within seconds.
 */
const BEFORE_MS = 5 * 60_000;
const AFTER_MS = 10 * 60_000;

const XML_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
const CANONICAL = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/**
 * Signs a SAML 2.0 assertion for the grant of RFC 7522, using RSA with SHA-256. The assertion is written in canonical
 * form, so that its text can be signed. The form is exclusive XML canonicalization: sorted attributes, no empty-element
 * tags, and only the namespaces used.
 */
export function signAssertion(subject: SamlSubject, nowMs: number, id = `_${randomUUID()}`): string {
  const [head, tail] = writeAssertion(subject, nowMs, id);
  const digest = createHash('sha256').update(`${head}${tail}`).digest('base64');
  const info = writeSignedInfo(id, digest);
  const key = readKey(subject.privateKey);
  const value = createSign('RSA-SHA256')
    .update(info.replace('<ds:SignedInfo>', `<ds:SignedInfo xmlns:ds="${XML_SIGNATURE}">`))
    .sign(key, 'base64');
  const signature = `<ds:Signature xmlns:ds="${XML_SIGNATURE}">${info}<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
  return `${head}${signature}${tail}`;
}

/** Returns the parts of the assertion before and after its signature. */
function writeAssertion({ apiKey, user, tokenUrl }: SamlSubject, nowMs: number, id: string): readonly [string, string] {
  const [now, from, to] = [nowMs, nowMs - BEFORE_MS, nowMs + AFTER_MS].map((time) => new Date(time).toISOString());
  const head = [
    `<saml2:Assertion xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" IssueInstant="${now}" Version="2.0">`,
    '<saml2:Issuer>www.successfactors.com</saml2:Issuer>',
  ];
  const tail = [
    '<saml2:Subject>',
    `<saml2:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">${escapeText(user)}</saml2:NameID>`,
    '<saml2:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">',
    `<saml2:SubjectConfirmationData NotOnOrAfter="${to}" Recipient="${escapeText(tokenUrl)}"></saml2:SubjectConfirmationData>`,
    '</saml2:SubjectConfirmation></saml2:Subject>',
    `<saml2:Conditions NotBefore="${from}" NotOnOrAfter="${to}"><saml2:AudienceRestriction>`,
    '<saml2:Audience>www.successfactors.com</saml2:Audience></saml2:AudienceRestriction></saml2:Conditions>',
    `<saml2:AuthnStatement AuthnInstant="${now}" SessionIndex="${id}"><saml2:AuthnContext>`,
    '<saml2:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml2:AuthnContextClassRef>',
    '</saml2:AuthnContext></saml2:AuthnStatement>',
    '<saml2:AttributeStatement><saml2:Attribute Name="api_key">',
    `<saml2:AttributeValue>${escapeText(apiKey)}</saml2:AttributeValue>`,
    '</saml2:Attribute></saml2:AttributeStatement></saml2:Assertion>',
  ];
  return [head.join(''), tail.join('')];
}

function writeSignedInfo(id: string, digest: string): string {
  const method = (name: string, algorithm: string): string => `<ds:${name} Algorithm="${algorithm}"></ds:${name}>`;
  return [
    '<ds:SignedInfo>',
    method('CanonicalizationMethod', CANONICAL),
    method('SignatureMethod', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'),
    `<ds:Reference URI="#${id}"><ds:Transforms>`,
    method('Transform', `${XML_SIGNATURE}enveloped-signature`),
    method('Transform', CANONICAL),
    '</ds:Transforms>',
    method('DigestMethod', 'http://www.w3.org/2001/04/xmlenc#sha256'),
    `<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`,
  ].join('');
}

/** Escapes the characters that canonical texts and attributes escape; an address contains no other such characters. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Reads the key. The error is thrown without a cause, because a cause might quote the key. */
function readKey(pem: string): KeyObject {
  try {
    // Environment variables contain the key on one line.
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {}
  throw new SyncError('SYNC_SOURCE_DENIED', {
    message: 'The private key cannot be read: expected an RSA key in PEM, without a passphrase.',
    place: 'auth.private_key',
    remedy: 'Check where `auth.private_key` comes from; it begins with `-----BEGIN PRIVATE KEY-----`.',
  });
}
