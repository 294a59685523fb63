import { loadPackage } from '../../base/load-package.js';
import type { AssistantReads } from './assistant-reads.js';
import { createAssistantServer } from './create-server.js';

/** One message from an assistant, or a batch of them, as posted. */
export interface PostedMessage {
  readonly body: unknown;
  /** The protocol version that client and server agreed on; absent in the first message. */
  readonly version: string | undefined;
}

export interface MessageAnswer {
  readonly status: number;
  /** Undefined if the response has no body. */
  readonly json: unknown;
}

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** Answers without a session. Each message gets its own server, so any daemon may answer the next message. */
export async function answerHttp(reads: AssistantReads, { body, version }: PostedMessage): Promise<MessageAnswer> {
  const { WebStandardStreamableHTTPServerTransport } = loadPackage<
    typeof import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js')
  >('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js');
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = createAssistantServer(reads);
  await server.connect(transport);
  try {
    const headers = version === undefined ? HEADERS : { ...HEADERS, 'mcp-protocol-version': version };
    const request = new Request('http://localhost/mcp', { method: 'POST', headers });
    const response = await transport.handleRequest(request, { parsedBody: body });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : (JSON.parse(text) as unknown) };
  } finally {
    await server.close();
  }
}
