import { SECTION_TYPES, SECTIONS } from '../../../src/sandbox/fields/section-kinds.js';
import { findCustomer, findProject, findTags, findUser, openService, type Service } from './open-service.js';

type Json = ReturnType<JSON['parse']>;
export type Records = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const texts = { int: 'Text' };

/** A record of every kind as returned by calls, under its name in docs/reference/sandbox.md. */
export async function readRecords(): Promise<Records> {
  const service = await openService();
  const [user, { unit, north }] = [await findUser(service, 'E1'), await findTags(service)];
  const [customer, project] = [await findCustomer(service), await findProject(service, 'P1')];
  for (const path of [customer.path, project.path, user.cv]) {
    await post(service, `${path}/custom_tags`, { custom_tag_category_id: unit, custom_tag_id: north });
  }
  const [country] = await read(service, '/api/v1/countries');
  const categories = await read(service, '/api/v1/masterdata/custom_tags/custom_tag_category');
  const category = categories.find(({ id }: Json) => id === unit);
  const tagged = await read(service, customer.path);
  return {
    user: await read(service, `/api/v1/users/${user.id}`),
    country,
    office: country.offices[0],
    'list of customers': await read(service, '/api/v2/company/cv/customers'),
    customer: tagged,
    industry: tagged.industry,
    'masterdata of technologies': (await read(service, '/api/v1/masterdata/technologies/tags'))[0],
    category,
    tag: category.custom_tags[0],
    'tag of a record': tagged.custom_tags[0],
    ...(await readProject(service, project.path, user.id, country.offices[0]._id)),
    ...(await readCv(service, user.cv)),
    ...(await readProposal(service, user, project)),
    'reference report': await post(service, '/api/v4/references/reports', { output_format: 'csv', size: 1 }),
    'CV report': await post(service, '/api/v2/cv-report?output_format=csv&report_type=user_report', {}),
    'import task': await importNobody(service),
  };
}

async function post({ send }: Service, path: string, body: object): Promise<Json> {
  return (await send('POST', path, body)).body;
}

async function read({ send }: Service, path: string): Promise<Json> {
  return (await send('GET', path)).body;
}

async function importNobody({ send }: Service): Promise<Json> {
  const raw = { text: 'email,name,country_code,office_name\n', type: 'text/csv' };
  return (await send('POST', '/api/v1/users/import/csv/default', undefined, { raw })).body;
}

async function readProject(service: Service, path: string, ownerId: string, officeId: string): Promise<Records> {
  await post(service, `${path}/project_owners`, { user_ids: [ownerId] });
  await post(service, `${path}/offices`, { office_ids: [officeId] });
  await post(service, `${path}/project_links`, { project_link: { url: 'https://example.com' } });
  await post(service, `${path}/company_project_skills`, { company_project_skill: { tags: texts } });
  const form = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\na\r\n--x--\r\n';
  const raw = { text: form, type: 'multipart/form-data; boundary=x' };
  await service.send('POST', `${path}/attachments`, undefined, { raw });
  const project = await read(service, `${path}?include_custom_fields=true`);
  const { references } = await post(service, '/api/v4/references/search', { size: 10 });
  return {
    project,
    'challenge, solution, value proposition': project.project_challenges[0],
    'project link': project.project_links[0],
    'contact of a project': project.customer_contacts[0],
    'skill of a project': project.company_project_skills[0],
    'project owner': project.project_owners[0],
    'office of a project': project.offices[0],
    attachment: project.attachments[0],
    'custom field of a project': project.custom_fields[0],
    'project in search results': references[0].reference,
  };
}

async function readCv(service: Service, path: string): Promise<Records> {
  for (const type of SECTION_TYPES) await post(service, `${path}/${type}`, { [SECTIONS[type].wrapper]: {} });
  const { project_experiences: experiences } = await read(service, path);
  const experience = `${path}/project_experiences/${experiences[0]._id}`;
  await post(service, `${experience}/roles`, { role: { name: texts } });
  await post(service, `${experience}/project_experience_skills`, { project_experience_skill: { tags: texts } });
  const contact = { project_experience_customer_contact: { name: 'Kari' } };
  await post(service, `${experience}/project_experience_customer_contacts`, contact);
  const cv = await read(service, path);
  const { cvs } = await post(service, '/api/v4/search', { size: 10 });
  const [section] = cv.project_experiences;
  const skilled = cv.technologies.find((one: Json) => one.technology_skills.length > 0);
  return {
    CV: cv,
    'result of the CV search': cvs[0],
    'CV in search results': cvs[0].cv,
    'metadata of a CV': await read(service, `${path}/metadata?detailed=true`),
    ...Object.fromEntries(SECTION_TYPES.map((type) => [`section ${type}`, cv[type][0]])),
    role: section.roles[0],
    'skill of a project experience': section.project_experience_skills[0],
    'contact of a project experience': section.project_experience_customer_contacts[0],
    'skill of a technology': skilled.technology_skills[0],
    'entry of cv_roles': cv.cv_roles[0],
  };
}

async function readProposal(service: Service, owner: Json, project: Json): Promise<Records> {
  const proposal = await post(service, '/api/v2/offers', { offer: { name: 'Bid', owner_id: owner.id } });
  const path = `/api/v1/offers/${proposal._id}`;
  const reference = { company_customer_id: project.company_customer_id, company_project_id: project.id };
  return {
    proposal,
    collaborators: await read(service, `/api/v2/offers/${proposal._id}/collaborators`),
    'tailored CV': await post(service, `${path}/cvs`, { cv: { cv_id: owner.default_cv_id } }),
    'tailored reference': await post(service, `${path}/references`, { reference }),
  };
}
