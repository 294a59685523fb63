import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECTION_TYPES } from '../../src/model/sections.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.js';
import type { SectionFields } from '../../src/service/cv-sections.js';
import { ENDPOINTS, type EndpointName, formatTemplate } from '../../src/service/endpoints.js';
import { ServiceError } from '../../src/service/service-error.js';
import type { ServiceFile } from '../../src/service/service-file.js';
import { createTalentService, matchSkill, matchTag, type TalentService } from '../../src/service/talent-service.js';
import { ACCOUNT } from '../sandbox/open-sandbox.js';
import { collect } from './desk.js';
import { createInstantClock } from './instant-clock.js';

let sandbox: Sandbox;
let service: TalentService;

beforeAll(async () => {
  // Both use one clock, on which the pauses for the download limit end immediately.
  const clock = createInstantClock();
  sandbox = await createSandbox({
    clock,
    fixture: { ...ACCOUNT, account: { ...ACCOUNT.account, features: { hard_linking: true, custom_fields: true } } },
  });
  service = createTalentService({
    baseUrl: sandbox.url,
    apiKey: 'admin-key',
    clock,
  });
});
afterAll(async () => {
  await service.close();
  await sandbox.close();
});

async function refusal(work: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await work.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw error;
}

async function findIds() {
  const anna = await service.reader.users.find({ external_unique_id: 'E1' });
  const userId = anna?.id ?? '';
  return { userId, cvId: anna?.default_cv_id ?? '' };
}

async function findTag(external: string) {
  for (const category of await service.reader.tags.listCategories()) {
    const tag = category.custom_tags.find((one) => one.external_unique_id === external);
    if (tag !== undefined) return { categoryId: category.id, tagId: tag.id };
  }
  throw new Error(`no tag ${external}`);
}

async function createProject() {
  const { value: customer } = await service.writer.customers.create({ customer_name: { en: 'Fjord Power' } });
  const { value: project } = await service.writer.projects.create(customer.id, {
    project_name: { en: 'Dam' },
    project_description: { en: 'A dam' },
  });
  return { customerId: customer.id, projectId: project.id };
}

/** Reads the file to its end and returns its first bytes. */
async function readStart({ bytes }: ServiceFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1', 0, 8);
}

describe('the client on a tour of the sandbox', () => {
  it('users, countries and offices', async () => {
    const { reader, writer } = service;
    const [country] = await reader.countries.list();
    const countryId = country?.id ?? '';
    const { value: made } = await writer.countries.create({ code: 'dk', native_language_code: 'da' });
    await writer.countries.update(made.id, { native_language_code: 'en' });
    const { value: office } = await writer.countries.createOffice(countryId, { name: 'Voss' });
    await writer.countries.updateOffice(countryId, office.id, { name: 'Voss S' });
    const fields = { email: 'new@example.com', country_id: countryId, office_id: office.id, title: { en: 'New' } };
    const { value: user, status } = await writer.users.create(fields);
    expect([status, user.email, user.title]).toEqual([200, 'new@example.com', { en: 'New' }]);
    expect(await refusal(writer.users.create(fields))).toMatchObject({ status: 422, retry: 'never' });
    expect(await refusal(writer.countries.deleteOffice(countryId, office.id))).toMatchObject({ status: 400 });
    expect((await writer.users.update(user.id, { name: 'Nina' })).value.name).toBe('Nina');
    expect((await reader.users.get(user.id))?.name).toBe('Nina');
    const found = await collect(reader.users.search({ name: 'Nina', size: 2, sortBy: 'relevance' }));
    expect(found.flatMap((page) => page.users.map(({ id }) => id))).toContain(user.id);
    const changed = await collect(reader.users.readChanges({ since: '2000-01-01T00:00:00Z', limit: 2 }));
    expect(changed.flatMap((page) => page.users)).toHaveLength(5);
    await writer.users.delete(user.id);
    expect(await reader.users.get(user.id)).toBeNull();
    await writer.countries.deleteOffice(countryId, office.id);
    const csv = 'email,country_code,office_name,name\ncsv@example.com,no,Oslo,Åse\n';
    expect((await writer.users.importCsv(csv, { dryRun: true })).value).toMatchObject({ dry_run: true });
  });

  it('CVs with all kinds of section, roles, metadata and search', async () => {
    const { reader, writer } = service;
    const cv = await findIds();
    const { value } = await writer.cvs.update(cv, { title: { en: 'Lead' }, place_of_residence: { no: 'Oslo' } });
    expect(value).toMatchObject({ id: cv.cvId, user_id: cv.userId, title: { en: 'Lead' } });
    const given: { readonly [T in (typeof SECTION_TYPES)[number]]: SectionFields<T> } = {
      key_qualifications: { label: { en: 'Sums' } },
      educations: { school: { en: 'NTNU' }, year_from: '2001' },
      work_experiences: { employer: { en: 'Acme' } },
      project_experiences: { customer: { en: 'Fjord' }, percent_allocated: '50' },
      languages: { name: { en: 'Norwegian' } },
      technologies: { category: { en: 'Code' }, uncategorized: false },
      certifications: { name: { en: 'PMP' }, year_expire: '2030' },
      courses: { program: { en: 'Rust' } },
      presentations: { description: { en: 'Talk' } },
      recommendations: { recommender: { en: 'Bo' } },
      positions: { name: { en: 'Chair' } },
      blogs: { url: 'https://example.com/post' },
      honors_awards: { issuer: { en: 'Academy' } },
      mentorings: { context: { en: 'Juniors' } },
    };
    for (const type of SECTION_TYPES) {
      const { value: made } = await writer.cvs.sections.create(cv, type, { ...given[type], starred: true });
      expect(await reader.cvs.sections.get(cv, type, made.id)).toMatchObject({ ...given[type], starred: true });
      const version = made.version ?? 0;
      const { value: changed } = await writer.cvs.sections.update(cv, type, made.id, { version, order: 7 });
      expect(changed).toMatchObject({ ...given[type], order: 7, version: version + 1 });
      const stale = writer.cvs.sections.update(cv, type, made.id, { version, order: 8 });
      expect(await refusal(stale)).toMatchObject({ status: 409, retry: 'never' });
      if (type !== 'project_experiences') await writer.cvs.sections.delete(cv, type, made.id);
      else {
        const { value: role } = await writer.cvs.createRole(cv, made.id, { name: { en: 'Architect' } });
        expect(await reader.cvs.getRole(cv, made.id, role.id)).toMatchObject({ name: { en: 'Architect' } });
      }
    }
    const whole = await reader.cvs.get(cv);
    expect(whole?.project_experiences).toMatchObject([{ customer: { en: 'Fjord' }, roles: [{}] }]);
    expect(whole?.courses).toEqual([]);
    expect(await reader.cvs.getMetadata(cv, { detailed: true })).toMatchObject({ id: cv.cvId });
    const hits = await collect(reader.cvs.search({ size: 1 }));
    expect(hits.flatMap((page) => page.cvs.map((hit) => hit.cv.id))).toContain(cv.cvId);
    expect((await collect(reader.cvs.search({ must: [matchSkill('Nothing')] }))).flatMap((page) => page.cvs)).toEqual(
      [],
    );
  });

  it('tags of CVs, customers and projects', async () => {
    const { reader, writer } = service;
    const cv = await findIds();
    const project = await createProject();
    const tag = await findTag('north');
    const { value: tagged } = await writer.tags.addToCv(cv, tag);
    expect(tagged.custom_tag_ids).toEqual([tag.tagId]);
    expect((await writer.tags.addToCv(cv, tag)).value.custom_tag_ids).toEqual([tag.tagId]);
    const found = await collect(reader.cvs.search({ must: [matchTag(tag.tagId)] }));
    expect(found.flatMap((page) => page.cvs.map((hit) => hit.cv.id))).toEqual([cv.cvId]);
    await writer.tags.removeFromCv(cv, tag.tagId);
    expect(await refusal(writer.tags.removeFromCv(cv, tag.tagId))).toMatchObject({ status: 404 });
    expect((await writer.tags.addToCustomer(project.customerId, tag)).value.custom_tags).toMatchObject([
      { id: tag.tagId },
    ]);
    await writer.tags.removeFromCustomer(project.customerId, tag.tagId);
    expect((await writer.tags.addToProject(project, tag)).value.custom_tags).toMatchObject([{ id: tag.tagId }]);
    const twice = await refusal(writer.tags.addToProject(project, tag));
    expect(twice).toMatchObject({ status: 422, details: { details: expect.any(Array) } });
    await writer.tags.removeFromProject(project, tag.tagId);

    const { value: category } = await writer.tags.createCategory({ values: { en: 'Grade' } });
    await writer.tags.updateCategory(category.id, { external_unique_id: 'grade' });
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      ids.push((await writer.tags.create(category.id, { values: { en: `G${index}` } })).value.id);
    }
    await writer.tags.update(category.id, ids[0] ?? '', { values: { en: 'First' } });
    const pages = await collect(reader.tags.list(category.id, { size: 2 }));
    expect(
      pages
        .flat()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(ids.toSorted());
    await writer.tags.delete(category.id, ids[0] ?? '');
    await writer.tags.deleteMany(category.id, ids.slice(1));
    await writer.tags.deleteCategory(category.id);
    expect((await refusal(writer.tags.deleteCategory(category.id))).status).toBe(500);
  });

  it('customers and projects with owners, entries, custom fields and hard links', async () => {
    const { reader, writer } = service;
    const { userId, cvId } = await findIds();
    const project = await createProject();
    const { customerId, projectId } = project;
    await writer.customers.update(customerId, { external_unique_id: 'C9' });
    expect((await reader.customers.find('C9'))?.id).toBe(customerId);
    expect((await collect(reader.customers.list({ size: 1 }))).flat().length).toBeGreaterThan(1);
    const custom_fields = [
      { name: 'stage', value: 'model-a' },
      { name: 'contract_value', amount: 42, currency: 'nok' },
      { name: 'area', amount: 42, unit: 'm2' },
      { name: 'period', from: '2026-01', to: '2026-11' },
    ];
    await writer.projects.update(customerId, projectId, {
      external_unique_id: 'P9',
      workflow_stage: 'live',
      custom_fields,
    });
    const whole = await reader.projects.get(customerId, projectId);
    expect(whole?.custom_fields).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'stage', value: expect.objectContaining({ external_unique_id: 'model-a' }) }),
        expect.objectContaining({ name: 'area', amount: '42.0', unit: 'm2' }),
        expect.objectContaining({ name: 'contract_value', currency: 'nok' }),
        expect.objectContaining({ name: 'headcount', value: null }),
      ]),
    );
    expect(await reader.projects.find('P9')).toMatchObject({ kind: 'one', project: { id: projectId } });
    const brief = await reader.projects.get(customerId, projectId, { sections: false, customFields: false });
    expect([brief?.project_challenges, brief?.custom_fields]).toEqual([undefined, undefined]);
    expect(await reader.projects.list(customerId)).toMatchObject([{ id: projectId }]);
    const hits = await collect(reader.projects.search({ stage: 'live', size: 1 }));
    expect(hits.flatMap((page) => page.projects.map((hit) => hit.project.id))).toContain(projectId);

    await writer.projects.addOwners(customerId, projectId, [userId]);
    await writer.projects.syncOwners(customerId, projectId, { emails: ['anna@example.com'], replace: true });
    await writer.projects.removeOwner(customerId, projectId, userId);
    for (const kind of ['challenges', 'solutions', 'valuePropositions'] as const) {
      const { value: entry } = await writer.projects[kind].create(project, { value: { en: 'Deep' } });
      const { value: changed } = await writer.projects[kind].update(project, entry.id, { disabled: true });
      expect(changed).toMatchObject({ id: entry.id, value: { en: 'Deep' }, disabled: true });
      await writer.projects[kind].delete(project, entry.id);
    }
    const link = { user_ids: [userId], link_to_project: true, include_section_ids: true };
    const { value: linked } = await writer.consultants.link(project, link);
    const sectionId = linked.updated_cvs[0]?.section_id ?? '';
    const experience = await reader.cvs.sections.get({ userId, cvId }, 'project_experiences', sectionId);
    expect(experience).toMatchObject({
      link_type: 'linked',
      reference_project_id: projectId,
      reference_project: { external_unique_id: 'P9' },
      description: { en: 'Dam' },
      disabled: true,
    });
    expect(await refusal(writer.projects.delete(customerId, projectId))).toMatchObject({
      status: 409,
      details: { reason: 'linked-project-experiences' },
    });
    await writer.cvs.sections.delete({ userId, cvId }, 'project_experiences', sectionId);
    await writer.projects.delete(customerId, projectId);
    await writer.customers.delete(customerId);
    expect(await reader.customers.find('C9')).toBeNull();
  });

  it('proposals', async () => {
    const { reader, writer } = service;
    const { userId, cvId } = await findIds();
    const project = await createProject();
    const { value: proposal } = await writer.proposals.create({ name: 'Bid for the dam' });
    expect(proposal.status).toBe('initial');
    const { value: won } = await writer.proposals.update(proposal.id, { status: 'won' });
    expect(won).toMatchObject({ id: proposal.id, status: 'won', archived: false });
    await writer.proposals.changeOwner(proposal.id, { type: 'user', id: userId });
    expect(await reader.proposals.get(proposal.id)).toMatchObject({ owner_id: userId });
    expect((await collect(reader.proposals.list({ query: 'dam', size: 1 }))).flat()).toMatchObject([
      { id: proposal.id },
    ]);
    expect(await reader.proposals.listOwn()).toBeInstanceOf(Array);
    await writer.proposals.addCollaborator(proposal.id, { type: 'user', id: userId });
    const collaborators = await reader.proposals.listCollaborators(proposal.id);
    expect(collaborators.users).toMatchObject([{ id: userId, email: 'anna@example.com' }]);
    expect(JSON.stringify(collaborators)).not.toContain('access_token');
    await writer.proposals.removeCollaborator(proposal.id, { type: 'user', id: userId });
    await writer.proposals.addCv(proposal.id, cvId);
    const [tailored] = await reader.proposals.listCvs(proposal.id);
    expect(tailored).toMatchObject({ user_id: userId, status: 'initial' });
    await writer.proposals.removeCv(proposal.id, tailored?.id ?? '');
    await writer.proposals.addReference(proposal.id, project);
    const [reference] = await reader.proposals.listReferences(proposal.id);
    expect(reference).toMatchObject({ status: 'initial', project_name: { en: 'Dam' } });
    const form = { language: 'en', filetype: 'pdf', templateId: 't1' } as const;
    const rendered = reader.documents.downloadProposalProject(proposal.id, reference?.id ?? '', form);
    expect(await readStart(await rendered)).toBe('%PDF-1.7');
    await writer.proposals.removeReference(proposal.id, reference?.id ?? '');
    expect(await reader.proposals.listReferences(proposal.id)).toEqual([]);
    expect(new URL(reader.proposals.linkTo(proposal.id)).searchParams.get('id')).toBe(proposal.id);
  });

  it('reports', async () => {
    const own = createTalentService({ baseUrl: sandbox.url, apiKey: 'admin-key', onCall: () => undefined });
    const wait = { firstPauseMs: 20, longestPauseMs: 50 };
    const users = await collect(own.reader.reports.readCvReportRows({ type: 'user_report' }, wait));
    expect(users.map((row) => row.Email)).toContain('anna@example.com');
    const projects = await collect(own.reader.reports.readProjectReportRows({ stage: 'all', size: 100 }, wait));
    expect(projects.length).toBeGreaterThan(0);
    await own.close();
    // The same by hand, so that these calls are counted below.
    const started = await service.reader.reports.startCvReport({ type: 'courses' });
    expect((await service.reader.reports.getCvReport(started.id)).id).toBe(started.id);
    const other = await service.reader.reports.startProjectReport();
    expect((await service.reader.reports.getProjectReport(other.id)).id).toBe(other.id);
  });

  it('document exports', async () => {
    const { documents } = service.reader;
    const cv = await findIds();
    const project = await createProject();
    const form = { language: 'en', filetype: 'pdf', templateId: 't1' } as const;
    for (const work of [
      () => documents.downloadCv(cv, form),
      () => documents.downloadCvFromTemplate(cv, form),
      () => documents.downloadProject(project, form),
    ]) {
      expect(await readStart(await work())).toBe('%PDF-1.7');
    }
  });

  it('calls every endpoint', () => {
    const { reads, writes } = service.calls;
    const seen = new Set([...Object.keys(reads.byTemplate), ...Object.keys(writes.byTemplate)]);
    const all = (Object.keys(ENDPOINTS) as EndpointName[])
      .filter((name) => name !== 'openProposal')
      .map(formatTemplate);
    expect(all.filter((template) => !seen.has(template))).toEqual([]);
  });
});
