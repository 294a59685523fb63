import type { PushedReader } from '../model/pushed.js';
import { listStreams } from '../model/stream.js';
import type { Connector, ConnectorContext } from './connector.js';
import { listPatternsBeside } from './drop/check-folders.js';
import { type Credentials, createCredentials } from './http/credentials.js';
import type { HttpAccess } from './http/resolve-http.js';
import type { ReaderContext } from './kind.js';
import { kindOf, listFileStreams, type Sources } from './kinds.js';

/** Creates a connector for every readable stream, keyed by the name in expressions, such as `hr` or `crm.companies`. */
export async function createConnectors(
  { sources }: { readonly sources: Sources },
  context: ConnectorContext,
  pushed: PushedReader,
): Promise<Map<string, Connector>> {
  const streams = listStreams(sources);
  const files = listFileStreams(streams);
  const reading: ReaderContext = {
    ...context,
    pushed,
    shareCredentials: createShare(context),
    listPatternsBeside: (name) => listPatternsBeside(files, name),
  };
  const connectors = new Map<string, Connector>();
  for (const stream of streams) {
    connectors.set(stream.name, await kindOf(stream).createReader(stream.name, stream.config, reading));
  }
  return connectors;
}

/** Returns a function that shares one token among all streams of an HTTP source. */
function createShare({ clock }: ConnectorContext): ReaderContext['shareCredentials'] {
  const shared = new Map<HttpAccess, Credentials>();
  return (access) => {
    const credentials = shared.get(access) ?? createCredentials(access.auth, clock);
    shared.set(access, credentials);
    return credentials;
  };
}
