import { WORKFLOW_STAGES } from '../../model/fields.js';
import { type Html, html, value } from '../../report/writers/page/html-text.js';
import type { World } from '../account/world.js';
import { foldText } from '../fields/languages.js';
import type { ProjectDocument } from '../store/project-documents.js';
import { cutPart, PAGE_SIZE, readFrom, renderPager, renderSearch, renderTable } from './lists.js';
import type { PageRoute } from './page.js';
import { listRoleOptions } from './users-page.js';
import { formatTime, nameOf, pathTo, renderBadge, renderLink } from './words.js';

export const PROJECT_COLUMNS = ['Name', 'Customer', 'External id', 'Stage', 'Changed'].map((name) => ({ name }));

export function renderStage(stage: string): Html {
  return renderBadge(stage.replaceAll('_', ' '), stage === 'live' ? 'good' : 'plain');
}

export function listProjectRows({ store, account }: World, projects: readonly ProjectDocument[]): readonly Html[][] {
  return projects.map((project) => [
    renderLink(pathTo('projects', project.id), nameOf(project.texts.project_name, account.languages)),
    renderLink(
      pathTo('customers', project.company_customer_id),
      nameOf(store.customers.get(project.company_customer_id)?.customer_name, account.languages),
    ),
    value(project.strings.external_unique_id ?? ''),
    renderStage(project.workflow_stage),
    html`<time>${formatTime(project.updated_at)}</time>`,
  ]);
}

export const PROJECTS_PAGE: PageRoute = {
  path: '/projects',
  show: (page) => {
    const { projects } = page.world.store;
    const [name, stage, from] = [
      foldText((page.query.get('q') ?? '').trim()),
      page.query.get('stage') ?? '',
      readFrom(page),
    ];
    const clauses = [name === '' ? null : 'instr(text_key, ?) > 0', stage === '' ? null : 'workflow_stage = ?'];
    const asked = clauses.filter((clause) => clause !== null);
    const where = asked.length === 0 ? '' : `WHERE ${asked.join(' AND ')}`;
    const values = [name, stage].filter((text) => text !== '');
    const ids = `SELECT id FROM projects ${where} ORDER BY company_customer_id, id LIMIT ? OFFSET ?`;
    const order = 'ORDER BY company_customer_id, id';
    const found = projects.find(`WHERE id IN (${ids}) ${order}`, [...values, PAGE_SIZE + 1, from]);
    const part = cutPart(found, from, where === '' ? projects.count('') : undefined);
    const stages = [{ name: 'stage', label: 'Any stage', options: listRoleOptions(WORKFLOW_STAGES) }];
    const list = part.shown.length === 0 ? null : renderTable(PROJECT_COLUMNS, listProjectRows(page.world, part.shown));
    return {
      title: 'Projects',
      under: '/projects',
      lead: html`Reference projects, sorted by customer. To add one, open the page of its customer.`,
      body: html`${renderSearch(page, 'Words in the project', stages)}<div data-fresh>${renderPager(page, part, 'projects')}${list}</div>`,
    };
  },
};
