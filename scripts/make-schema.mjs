// Writes the schemas that editors use to complete and explain the configuration and the sandbox's fixture.
import { writeFileSync } from 'node:fs';
import { buildJsonSchema } from '../dist/config/json-schema.js';
import { buildFixtureJsonSchema } from '../dist/sandbox/fixture/fixture.js';

const SCHEMAS = { 'talent-sync': buildJsonSchema(), 'sandbox-fixture': buildFixtureJsonSchema() };

for (const [name, schema] of Object.entries(SCHEMAS)) {
  const file = new URL(`../config/${name}.schema.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
}
