/** `Mitarbeiter\xff.csv`: the bytes of a name that is not UTF-8, those beyond ASCII and control characters escaped. */
export function showBytes(name: Buffer): string {
  return [...name].map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : escapeByte(byte))).join('');
}

export function isReplaced(name: string): boolean {
  return name.includes('\uFFFD');
}

/** What is left of such a name where only its text is told: U+FFFD stands for each byte that is no character. */
export function showReplaced(name: string): string {
  return name.replaceAll('\uFFFD', '\\ufffd');
}

function escapeByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}
