import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../closing.js';
import { findTool } from '../tools.js';

const run = promisify(execFile);

/** Reads, finds, creates and is refused, all through what was generated. */
const SMOKE = `
import json, pkgutil, importlib, sys
sys.path.insert(0, sys.argv[2])
import talent_client
from talent_client import AuthenticatedClient
for module in pkgutil.walk_packages(talent_client.__path__, "talent_client."):
    importlib.import_module(module.name)
from talent_client.api.countries import list_countries
from talent_client.api.users import search_users, find_user
client = AuthenticatedClient(base_url=sys.argv[1], token="admin")
countries = list_countries.sync(client=client, use_legacy_codes=False)
found = search_users.sync(client=client, name="anna")
missing = find_user.sync_detailed(client=client, email="nobody@example.com")
print(json.dumps({
    "offices": [office.name for country in countries for office in country.offices],
    "found": [user.email for user in found],
    "missing": int(missing.status_code),
}))
`;

/** The generator's own interpreter, which has what its clients need; of a script that starts another one, that on the PATH. */
function findInterpreter(generator: string): string {
  return /(?:\/[\w.-]+)+\/python[\d.]*/.exec(readFileSync(generator, 'latin1').slice(0, 500))?.[0] ?? 'python3';
}

test('a Python client generated from the OpenAPI document reads the service', { timeout: 300_000 }, async () => {
  const generator = findTool('openapi-python-client');
  const sandbox = await createSandbox({
    fixture: {
      keys: [{ key: 'admin', name: 'Admin', role: 'internationalmanager' }],
      countries: [{ code: 'no', native_language_code: 'no', offices: [{ name: 'Oslo' }] }],
      users: [{ email: 'anna@example.com', name: 'Anna', country: 'no', office: 'Oslo' }],
    },
  });
  closeAfterTest(sandbox);
  const folder = mkdtempSync(join(tmpdir(), 'python-client-'));
  const [client, script] = [join(folder, 'talent_client'), join(folder, 'smoke.py')];
  writeFileSync(script, SMOKE);
  const document = `${sandbox.url}/__sandbox/openapi.json`;
  // It formats what it wrote with a program beside it.
  const env = { ...process.env, PATH: [dirname(generator), process.env.PATH].join(delimiter) };
  await run(generator, ['generate', '--url', document, '--meta', 'none', '--output-path', client], {
    cwd: folder,
    env,
  });
  const python = findInterpreter(generator);
  const { stdout } = await run(python, [script, sandbox.url, folder]);
  expect(JSON.parse(stdout)).toEqual({ offices: ['Oslo'], found: ['anna@example.com'], missing: 404 });
});
