/**
 * A text of this length does not match a secret by accident. Shorter secrets may be ordinary words, so they only match
 * as words.
 */
const SHORTEST_STRONG = 12;
/** Minimum length of a line to search for. A private key has many lines, and tools may quote a single one. */
const SHORTEST_LINE = 16;

/** An address without a login. Its host is public; the rest is the secret. */
const ADDRESS = /^https?:\/\/[^/?#@]+[/?#]?(.*)$/i;

const BEYOND_ASCII = /[^\0-\x7f]/g;

/** One way in which a secret may be quoted. */
export interface Form {
  readonly text: string;
  /** The beginning of the text. */
  readonly head: string;
  /** Minimum number of characters that must match, because a quotation may be truncated. */
  readonly least: number;
  /** True if the form is long enough to be found inside other text; otherwise it must be a separate word. */
  readonly isStrong: boolean;
}

/**
 * Lists all forms in which a secret may be quoted. This includes its separate lines, the token after a header's scheme,
 * and an address after its host.
 */
export function listForms(secret: string): readonly Form[] {
  if (/[\r\n]/.test(secret)) {
    const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
    const long = lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----'));
    return long.flatMap((line) => [...new Set(spell(line))].map((text) => toForm(text, true)));
  }
  const beyondHost = ADDRESS.exec(secret)?.[1];
  if (beyondHost !== undefined && beyondHost.length < SHORTEST_STRONG) return [];
  const value = beyondHost ?? secret;
  const isStrong = value.length >= SHORTEST_STRONG;
  const token = /^\S+ (\S{12,})$/.exec(value)?.[1];
  const parts = token === undefined ? [value] : [value, token];
  const texts = new Set(parts.flatMap((part) => [...spell(part), ...(isStrong ? encode(part) : [])]));
  return [...texts].map((text) => toForm(text, isStrong));
}

function toForm(text: string, isStrong: boolean): Form {
  if (!isStrong) return { text, head: text, least: text.length, isStrong };
  const least = Math.max(SHORTEST_STRONG, Math.ceil(text.length / 2));
  return { text, head: text.slice(0, SHORTEST_STRONG), least, isStrong };
}

/** Spells a value verbatim, and as JSON, URLs, forms and pages write it. Each language has its own conventions. */
function spell(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(value.replace(/\p{Cs}/gu, '\ufffd'));
  const named = nameSigns(value).replaceAll('"', '&quot;');
  return [
    ...[value, json, JSON.stringify(json).slice(1, -1), json.replaceAll('/', '\\/')],
    // Go, Python, PHP and .NET
    ...[json.replace(/[&<>]/g, toUnit), json.replace(BEYOND_ASCII, toUnit)],
    json.replaceAll('/', '\\/').replace(BEYOND_ASCII, toUnit),
    value.replaceAll('\\', '\\\\').replace(/["&'+<>`]|[^\0-\x7f]/g, (sign) => `\\u${hexOf(sign).toUpperCase()}`),
    ...[url, url.replace(/%../g, (code) => code.toLowerCase()), url.replaceAll('%20', '+'), encodeURIComponent(url)],
    ...[named, named.replaceAll("'", '&#39;'), named.replaceAll("'", '&#39;').replaceAll('+', '&#x2B;')],
    nameSigns(value).replaceAll('"', '&#34;').replaceAll("'", '&#39;').replaceAll('+', '&#43;'),
  ];
}

function nameSigns(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function toUnit(sign: string): string {
  return `\\u${hexOf(sign)}`;
}

function hexOf(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(4, '0');
}

/** Lists the Base64 texts of a value. There are three, depending on the number of bytes before it. */
function encode(value: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
    const text = whole.slice(before === 0 ? 0 : 4);
    return text.length < SHORTEST_STRONG ? [] : [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
