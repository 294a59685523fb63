import { hideSecrets, hideSecretsInJson } from '../base/secrets/secret.js';
import { cleanText } from '../model/clean-text.js';
import { toTerminal } from '../report/writers/style.js';

/*
 * The one place that writes to stdout and stderr. Whatever a text was put together from, no secret leaves with it, and
 * nothing in it steers the terminal or is there without being seen.
 */

export type OutputStream = Pick<NodeJS.WritableStream, 'write'> & { readonly isTTY?: boolean };

/** Text for people. Resolves when the reader of the pipe has it. */
export function print(stream: OutputStream, text: string): Promise<void> {
  return send(stream, toTerminal(cleanText(hideSecrets(text))));
}

/** A document for programs: what is escaped in it means the same. */
export function printJson(stream: OutputStream, document: unknown): Promise<void> {
  return send(stream, cleanText(`${hideSecretsInJson(JSON.stringify(document, null, 2), 2)}\n`));
}

/** A piece of a file that goes to stdout: exact, unless a person looks at it. */
export function printPiece(stream: OutputStream, text: string): Promise<void> {
  return stream.isTTY === true ? print(stream, text) : send(stream, text);
}

function send(stream: OutputStream, text: string): Promise<void> {
  return text === '' ? Promise.resolve() : new Promise((resolve) => void stream.write(text, () => resolve()));
}
