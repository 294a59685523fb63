import type { ScimSourceConfig } from '../../../src/connectors/scim/resolve.js';
import { createScimConnector } from '../../../src/connectors/scim/scim-connector.js';
import { createScimWriter } from '../../../src/connectors/scim/scim-writer.js';
import { closeAfterTest } from '../../closing.js';
import { buildContext, readAll, scimConfig } from '../fixtures.js';

/** Opens a source to write to and to read back. */
export function openSource(baseUrl: string, rest: Partial<ScimSourceConfig> = {}) {
  const context = buildContext();
  const config = scimConfig(baseUrl, { pageSize: 50, ...rest });
  const writer = createScimWriter('idp', config, context);
  const connector = createScimConnector('idp', config, context);
  closeAfterTest(writer);
  closeAfterTest(connector);
  const read = async () => new Map((await readAll(connector)).records.map(({ key, cells }) => [key, cells]));
  return { writer, read, slept: context.slept };
}
