// Creates a customer and a reference project for it exactly once, even if the script runs again or an answer is lost.
//
//   node examples/client/create-project.mjs C-100 'Fjord Power' P-100 'New dam'
import { createTalentService, ServiceError } from 'talent-sync/service';

const service = createTalentService({
  baseUrl: process.env.TALENT_BASE_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.TALENT_API_KEY ?? 'admin-key',
});
const { reader, writer } = service;
const [customerKey = 'C-100', customerName = 'Fjord Power', projectKey = 'P-100', projectName = 'New dam'] =
  process.argv.slice(2);

/** Creates are not idempotent. After a lost answer, look for the object first; send the call again only if it is missing. */
async function createOnce(find, create) {
  const found = await find();
  if (found !== null) return found;
  try {
    return (await create()).value;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.retry !== 'look first') throw error;
    return (await find()) ?? (await create()).value;
  }
}

async function findProject() {
  const found = await reader.projects.find(projectKey);
  if (found?.kind === 'several') throw new Error(`${projectKey} is the external id of several projects`);
  return found?.project ?? null;
}

const customer = await createOnce(
  () => reader.customers.find(customerKey),
  () => writer.customers.create({ external_unique_id: customerKey, customer_name: { en: customerName } }),
);
const project = await createOnce(findProject, () =>
  writer.projects.create(customer.id, { external_unique_id: projectKey, project_name: { en: projectName } }),
);

// A new project has one empty challenge. Fill it instead of adding a second one.
const [challenge] = (await reader.projects.get(customer.id, project.id)).project_challenges ?? [];
if (challenge !== undefined && Object.keys(challenge.value ?? {}).length === 0) {
  const key = { customerId: customer.id, projectId: project.id };
  await writer.projects.challenges.update(key, challenge.id, { value: { en: 'The valley floods every spring.' } });
}
console.log(`customer ${customerKey}, project ${projectKey}: ${project.project_name.en}`);
console.log(`calls: ${service.calls.reads.total} reads, ${service.calls.writes.total} writes`);
await service.close();
