import { SignedXml } from 'xml-crypto';

export interface ExpectedAssertion {
  readonly publicKey: string;
  readonly recipient: string;
  readonly apiKey: string;
  readonly nowMs: number;
}

/** Returns the user named by a SAML assertion, or throws. An independent library verifies its signature. */
export function checkAssertion(base64: string, { publicKey, recipient, apiKey, nowMs }: ExpectedAssertion): string {
  const xml = Buffer.from(base64, 'base64').toString();
  const signature = /<ds:Signature .*<\/ds:Signature>/s.exec(xml)?.[0];
  if (signature === undefined) throw new Error('the assertion is not signed');
  const signed = new SignedXml({ publicCert: publicKey });
  signed.loadSignature(signature);
  if (!signed.checkSignature(xml)) throw new Error('the signature is not that of the registered certificate');
  // Only the signed content counts.
  const [content = ''] = signed.getSignedReferences();
  const find = (pattern: RegExp): string => pattern.exec(content)?.[1] ?? '';
  if (find(/ Recipient="([^"]*)"/) !== recipient) throw new Error('it is meant for another address');
  if (find(/<saml2:Audience>([^<]*)</) !== 'www.successfactors.com') throw new Error('it is meant for others');
  if (find(/Name="api_key"><saml2:AttributeValue>([^<]*)</) !== apiKey) throw new Error('it names another client');
  const [from, to] = [find(/NotBefore="([^"]*)"/), find(/<saml2:Conditions [^>]*NotOnOrAfter="([^"]*)"/)];
  if (!(Date.parse(from) <= nowMs && nowMs < Date.parse(to))) throw new Error('it is not valid now');
  return find(/<saml2:NameID [^>]*>([^<]*)</);
}
