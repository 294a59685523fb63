import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputData, JSONSchemaInput, quicktype } from 'quicktype-core';
import { expect, test } from 'vitest';
import { buildOpenApi } from '../../../src/sandbox/control/openapi/build-openapi.js';
import { SECTION_TYPES, SECTIONS } from '../../../src/sandbox/fields/section-kinds.js';
import { ROUTES } from '../../../src/sandbox/routes/table.js';
import { makeFolder } from '../../samples.js';
import { findTool } from '../../tools.js';
import { readRecords } from './read-records.js';

/** Generates the code of docs/reference/sandbox.md, like `npx quicktype -s schema -l python`. */
async function generatePython(document: object): Promise<string> {
  const schemas = new JSONSchemaInput(undefined);
  await schemas.addSource({ name: 'service', uris: ['#/components/schemas/'], schema: JSON.stringify(document) });
  const inputData = new InputData();
  inputData.addInput(schemas);
  const { lines } = await quicktype({ inputData, lang: 'python' });
  return lines.join('\n');
}

/** From the name of a record to its class, as used in function names of the generated module. */
const CLASSES: Readonly<Record<string, string>> = {
  user: 'scoped_user',
  country: 'country',
  office: 'office',
  'list of customers': 'customer_page',
  customer: 'customer',
  industry: 'industry',
  category: 'tag_category',
  tag: 'tag',
  'tag of a record': 'record_tag',
  project: 'project',
  'challenge, solution, value proposition': 'project_challenge',
  'project link': 'project_link',
  'contact of a project': 'customer_contact',
  'skill of a project': 'company_project_skill',
  'project owner': 'owner',
  attachment: 'attachment',
  'project in search results': 'project_preview',
  CV: 'cv',
  'CV in search results': 'cv_preview',
  'metadata of a CV': 'cv_metadata',
  ...Object.fromEntries(SECTION_TYPES.map((type) => [`section ${type}`, SECTIONS[type].wrapper])),
  role: 'role',
  'skill of a project experience': 'project_experience_skill',
  'contact of a project experience': 'project_experience_customer_contact',
  'skill of a technology': 'technology_skill',
  proposal: 'proposal',
  collaborators: 'collaborators',
  'tailored CV': 'tailored_cv',
  'tailored reference': 'tailored_reference',
  'reference report': 'reference_report',
  'CV report': 'cv_report',
  'import task': 'import_task',
};

/** Reads each record into its class and writes it again. Prints the records read and the fields that differ. */
const READER = `
import json, sys
import talent_models

def is_same(written, given):
    if isinstance(written, dict):
        return all(is_same(value, given[name]) for name, value in written.items())
    if isinstance(written, list):
        return len(written) == len(given) and all(map(is_same, written, given))
    return written == given

read, changed = [], []
for name, kind, given in json.load(sys.stdin):
    written = getattr(talent_models, kind + "_to_dict")(getattr(talent_models, kind + "_from_dict")(given))
    read.append(name)
    changed += [] if is_same(written, given) and len(written) > 1 else [name]
try:
    talent_models.user_from_dict({"user_id": 1})
except (AssertionError, KeyError):
    read.append("refusal")
print(json.dumps({"read": read, "changed": changed}))
`;

test('Python classes generated from the OpenAPI document read a record of every kind', {
  timeout: 60_000,
}, async () => {
  const python = findTool('python3');
  const folder = makeFolder();
  writeFileSync(join(folder, 'talent_models.py'), await generatePython(buildOpenApi(ROUTES)));
  writeFileSync(join(folder, 'read.py'), READER);
  const records = await readRecords();
  const input = Object.entries(CLASSES).map(([name, kind]) => [name, kind, records[name]]);
  const out = execFileSync(python, ['read.py'], { cwd: folder, input: JSON.stringify(input), encoding: 'utf8' });
  expect(JSON.parse(out)).toEqual({ read: [...Object.keys(CLASSES), 'refusal'], changed: [] });
});
