import type { SourceKind } from '../kind.js';
import { type PushInput, type PushSourceConfig, pushSchema, resolvePush } from './resolve.js';

/** A source that receives people from an identity provider over SCIM 2.0. */
export const SCIM_PUSH = {
  type: 'scim-push',
  schema: pushSchema,
  resolve: resolvePush,
  strayWriteBack: [
    'the client that pushes into this source accepts no values: `scim-push` cannot be written to',
    'Write to the provider with a source of `type: scim`.',
  ],
  closed: [
    'the client that pushes into it accepts no values',
    'Write back to another kind of source: `scim`, `csv` or `crm`.',
  ],
  whyNotWritable: () => 'nothing is written to it',
  describeDeciding: ({ key, columns: declared, prefer: ranked }) => ({ key, columns: declared, prefer: ranked }),
  describeAbsence: ({ key }) => [key],
  createReader: async (name, source, context) =>
    (await import('./scim-push-connector.js')).createPushConnector(name, source, context),
  createWriter: async () => null,
  findReceiver: ({ tokens, key, baseUrl, trustedProxies }) => ({ tokens, key, baseUrl, trustedProxies }),
} satisfies SourceKind<PushInput, PushSourceConfig, PushSourceConfig>;
