import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { COMPANY_KEY, createCompany } from '../../../src/sandbox/company/company.js';
import { drawPortrait } from '../../../src/sandbox/company/portrait.js';
import { writeFixture } from '../../../src/sandbox/company/write-fixture.js';
import { createSandbox } from '../../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../../closing.js';
import { makeFolder } from '../../samples.js';
import { findTool } from '../../tools.js';

const run = promisify(execFile);

const COMPANY = { users: 3, customers: 2, projects: 2, proposals: 1, countries: ['no'] };

/** Uses every group of operations through generated code only. */
const SMOKE = `
import base64, importlib, json, pkgutil, sys, urllib.parse
import talent_client
for module in pkgutil.walk_packages(talent_client.__path__, "talent_client."):
    importlib.import_module(module.name)
from talent_client import *

client = ApiClient(Configuration(host=sys.argv[1]))
client.configuration.access_token = sys.argv[2]
countries, tags, users, cvs = CountriesApi(client), TagsApi(client), UsersApi(client), CVsApi(client)
customers, projects, proposals = CustomersApi(client), ProjectsApi(client), ProposalsApi(client)
reports, documents = ReportsApi(client), DocumentsApi(client)
ours = {"use_legacy_codes": "false"}

def refusal(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except ApiException as refused:
        return [refused.status, json.loads(refused.body)["error"]]

[norway] = countries.list_countries(**ours)
bergen = norway.offices[0]
anna = users.search_users(size=1)[0]
body = {"name": "Åse Østby", "email": "ase@example.com", "country_id": norway.id, "office_id": bergen.id}
made = users.create_user({"user": body}, **ours)
changed = users.update_user(made.user_id, {"user": {"title": {"en": "Architect", "no": "Arkitekt"}}}, **ours)
cv = cvs.get_cv(anna.user_id, anna.default_cv_id, **ours)
place = [anna.user_id, anna.default_cv_id]
course = cvs.create_cv_section(*place, "courses", {"course": {"name": {"en": "Bees"}}}, **ours)
customer = customers.create_customer({"company_customer": {"customer_name": {"en": "Hive"}}}, **ours)
project = projects.create_project(customer.id, {"company_project": {"project_name": {"en": "Honey"}}}, **ours)
with open("dot.png", "wb") as file:
    file.write(base64.b64decode(sys.argv[3]))
projects.add_attachment(customer.id, project.id, "dot.png")
report = reports.start_cv_report("csv", "languages", {})
while report.state != "finished":
    report = reports.get_cv_report(report.id)
print(json.dumps({
    "office": bergen.name,
    "changed": [changed.name, changed.title],
    "taken": refusal(users.create_user, {"user": body}),
    "nobody": refusal(users.find_user, email="nobody@example.com"),
    "experience": type(cv.project_experiences[0]).__name__,
    "found": cvs.search_cvs({"size": 5}).total,
    "course": course["name"],
    "customers": [one["id"] == customer.id for one in customers.list_customers(customer_name="Hive")["customers"]],
    "attachments": len(projects.get_project(customer.id, project.id).attachments),
    "categories": [category.external_unique_id for category in tags.list_tag_categories()],
    "proposals": len(proposals.list_proposals()),
    "report": urllib.parse.urlparse(report.cv_report["url"]).path.startswith("/files/"),
    "document": open(documents.download_cv(*place, "en", "pdf", **ours), "rb").read(5).decode(),
}))
`;

test('a Python client generated from the OpenAPI document reads and writes with every group of operations', {
  timeout: 120_000,
}, async () => {
  const [java, generator] = [findTool('java'), findTool('openapi-generator')];
  const libraries = (['python3-urllib3', 'python3-dateutil', 'python3-certifi'] as const).map(findTool);
  const company = createCompany({ ...COMPANY, seed: 5, cvs: 'full', images: true });
  const sandbox = await createSandbox({ fixture: JSON.parse([...writeFixture(company)].join('')) });
  closeAfterTest(sandbox);
  const folder = makeFolder();
  writeFileSync(join(folder, 'smoke.py'), SMOKE);
  const document = join(folder, 'talent-service.json');
  const answer = await fetch(`${sandbox.url}/__sandbox/openapi.json?version=3.0`);
  writeFileSync(document, await answer.text());
  const made = ['-i', document, '-g', 'python', '-o', folder, '--package-name', 'talent_client'];
  await run(java, ['-jar', generator, 'generate', ...made], { cwd: folder, maxBuffer: 1e8 });
  const picture = drawPortrait(1, 1);
  // Its libraries belong to the distribution's interpreter.
  const env = { ...process.env, PYTHONPATH: libraries.map((file) => dirname(dirname(file))).join(':') };
  const { stdout } = await run('/usr/bin/python3', ['smoke.py', sandbox.url, COMPANY_KEY, picture], {
    cwd: folder,
    env,
  });
  expect(JSON.parse(stdout)).toEqual({
    office: 'Bergen',
    changed: ['Åse Østby', { en: 'Architect', no: 'Arkitekt' }],
    taken: [422, 'Email has already been taken'],
    nobody: [404, 'user not found'],
    experience: 'ProjectExperience',
    found: 4,
    course: { en: 'Bees' },
    customers: [true],
    attachments: 1,
    categories: ['business_unit', 'seniority'],
    proposals: 1,
    report: true,
    document: '%PDF-',
  });
});
