import type { Readable, Writable } from 'node:stream';
import { loadPackage } from '../../base/load-package.js';
import type { AssistantReads } from './assistant-reads.js';
import { createAssistantServer } from './create-server.js';

interface AssistantStreams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Answers the assistant that started this process, until the assistant closes its end. */
export async function serveStdio(reads: AssistantReads, { stdin, stdout, signal }: AssistantStreams): Promise<void> {
  const { StdioServerTransport } = loadPackage<typeof import('@modelcontextprotocol/sdk/server/stdio.js')>(
    '@modelcontextprotocol/sdk/server/stdio.js',
  );
  const server = createAssistantServer(reads);
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
  });
  const close = (): void => void server.close();
  stdin.once('end', close);
  signal.addEventListener('abort', close, { once: true });
  await server.connect(new StdioServerTransport(stdin as Readable, stdout as Writable));
  await closed;
}
