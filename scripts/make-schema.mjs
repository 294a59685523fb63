// Writes config/talent-sync.schema.json, by which editors complete and explain the configuration.
import { writeFileSync } from 'node:fs';
import { buildJsonSchema } from '../dist/config/json-schema.js';

const file = new URL('../config/talent-sync.schema.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(buildJsonSchema(), null, 2)}\n`);
