import { hideSecrets, hideSecretsInJson } from '../base/secrets/secret.js';
import { cleanText } from '../model/clean-text.js';
import { toTerminal } from '../report/writers/style.js';

/*
 * The only place that writes to stdout and stderr. It removes secrets, invisible characters and terminal control sequences
 * from every text.
 */

export type OutputStream = Pick<NodeJS.WritableStream, 'write'> & { readonly isTTY?: boolean };

/** Prints text for people. Resolves when the reader of the pipe has received it. */
export function print(stream: OutputStream, text: string): Promise<void> {
  return send(stream, toTerminal(cleanText(hideSecrets(text))));
}

/** Prints a document for programs, with escapes that do not change its meaning. */
export function printJson(stream: OutputStream, document: unknown): Promise<void> {
  return send(stream, cleanText(`${hideSecretsInJson(JSON.stringify(document, null, 2), 2)}\n`));
}

/** Prints a piece of a file, verbatim to a pipe and cleaned on a terminal. */
export function printPiece(stream: OutputStream, text: string): Promise<void> {
  return stream.isTTY === true ? print(stream, text) : send(stream, text);
}

function send(stream: OutputStream, text: string): Promise<void> {
  return text === '' ? Promise.resolve() : new Promise((resolve) => void stream.write(text, () => resolve()));
}
