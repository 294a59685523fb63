// Puts a consultant on a project once. The service does not detect a second link, so this script looks at the CV first.
//
//   node examples/client/put-on-project.mjs anna@example.com P-100
import { createTalentService } from 'talent-sync/service';

const service = createTalentService({
  baseUrl: process.env.TALENT_BASE_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.TALENT_API_KEY ?? 'admin-key',
});
const { reader, writer } = service;
const [email = 'anna@example.com', projectKey = 'P-100'] = process.argv.slice(2);

const user = await reader.users.find({ email });
const found = await reader.projects.find(projectKey);
if (user === null || found?.kind !== 'one') throw new Error(`${email} or ${projectKey} is missing or ambiguous`);
const { id: projectId, company_customer_id: customerId } = found.project;

const cv = await reader.cvs.get({ userId: user.id, cvId: user.default_cv_id });
if (cv.project_experiences?.some((one) => one.reference_project_id === projectId)) {
  console.log(`${email} is on ${projectKey} already`);
} else {
  const link = { user_ids: [user.id], link_to_project: true, include_dates: true, include_section_ids: true };
  const { value } = await writer.consultants.link({ customerId, projectId }, link);
  console.log(`${email} is on ${projectKey} now: section ${value.updated_cvs[0]?.section_id}`);
}
await service.close();
