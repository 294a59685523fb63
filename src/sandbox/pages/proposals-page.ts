import { renderInput, renderSelect, type SelectOption } from '../../report/writers/page/form-parts.js';
import { type Html, html, value } from '../../report/writers/page/html-text.js';
import type { World } from '../account/world.js';
import { findParty } from '../calls/access.js';
import { foldText } from '../fields/languages.js';
import { refuse } from '../fields/refusal.js';
import { TAILORED_CVS, TAILORED_REFERENCES } from '../routes/proposal-contents.js';
import * as proposals from '../routes/proposals.js';
import { creates, removes } from '../routes/resource.js';
import { type PartyDocument, PROPOSAL_STATUSES, type ProposalDocument } from '../store/documents.js';
import { calls, requireRecord, writeAs } from './as-colleague.js';
import { type RecordForm, readChanges, renderButton, renderForm, renderLineForm, saveChanges } from './form-fields.js';
import { cutPart, PAGE_SIZE, readFrom, renderPager, renderSearch, renderTable } from './lists.js';
import type { PageRequest, PageRoute } from './page.js';
import { renderDocuments, renderFacts, renderFold, renderSection } from './record-parts.js';
import { listRoleOptions } from './users-page.js';
import { formatTime, nameOf, pathTo, renderBadge, renderLink } from './words.js';

const COLUMNS = ['Name', 'Owner', 'Status', 'Changed'].map((name) => ({ name }));

function renderParty({ store, keys }: World, party: PartyDocument): Html {
  if (party.type === 'api_user') return value(proposals.findKeyOf({ keys }, party)?.name ?? 'an unknown key');
  const user = store.users.get(party.id);
  return user ? renderLink(pathTo('users', user.id), user.name === '' ? user.email : user.name) : html`a removed user`;
}

const NEW: RecordForm = {
  action: 'add',
  button: 'Add the proposal',
  fields: [{ name: 'name', is: 'line', isRequired: true }],
  record: {},
};

export const PROPOSALS_PAGE: PageRoute = {
  path: '/proposals',
  show: (page) => {
    const { world } = page;
    const [name, from] = [foldText((page.query.get('q') ?? '').trim()), readFrom(page)];
    const found = world.store.proposals.find(
      'WHERE archived <= 1 AND instr(name_key, ?) > 0 ORDER BY archived, name_key, id LIMIT ? OFFSET ?',
      [name, PAGE_SIZE + 1, from],
    );
    const part = cutPart(found, from, name === '' ? world.store.proposals.count('') : undefined);
    const rows = part.shown.map((proposal) => [
      renderLink(pathTo('proposals', proposal.id), proposal.name),
      renderParty(world, proposal.owner),
      html`${renderBadge(proposal.status)}${proposal.archived ? renderBadge('archived', 'warn') : null}`,
      html`<time>${formatTime(proposal.updated_at)}</time>`,
    ]);
    return {
      title: 'Proposals',
      under: '/proposals',
      body: html`${renderSearch(page, 'Part of the name')}<div data-fresh>${renderPager(page, part, 'proposals')}${rows.length === 0 ? null : renderTable(COLUMNS, rows)}</div>${renderFold(page, 'add', 'Add a proposal', renderForm(page, NEW))}`,
    };
  },
  actions: {
    add: (page) => {
      const { id } = writeAs(page, proposals.postProposal, { body: { offer: readChanges(NEW, page.form) } });
      return pathTo('proposals', String(id));
    },
  },
};

function requireProposal({ world, params }: PageRequest): ProposalDocument {
  return requireRecord(world.store.proposals.get(params.proposal_id));
}

function editForm(proposal: ProposalDocument): RecordForm {
  return {
    action: 'save',
    button: 'Save',
    fields: [
      { name: 'name', is: 'line' },
      { name: 'status', is: 'choice', options: listRoleOptions(PROPOSAL_STATUSES) },
      { name: 'archived', is: 'flag' },
    ],
    record: { ...proposal },
  };
}

/** Reads a party of the proposal: a user by e-mail, or a key by its name. */
function readParty({ world, form }: PageRequest): object {
  const named = (form.get('party') ?? '').trim();
  return findParty(world, named) ?? refuse(422, `${named} is neither the e-mail of a user nor the name of a key`);
}

function partyForm(page: PageRequest, action: string, button: string): Html {
  const typed = page.refusal?.form.get('do') === action ? (page.refusal.form.get('party') ?? '') : '';
  const label = { 'aria-label': 'E-mail of a user, or name of a key', placeholder: 'E-mail, or name of a key' };
  return renderLineForm(action, button, renderInput({ name: 'party', value: typed, ...label }));
}

function renderCollaborators(page: PageRequest, { owner, collaborators }: ProposalDocument): Html {
  const rows = collaborators.map(
    (party) =>
      html`<li>${renderParty(page.world, party)} ${renderButton('remove_party', 'Remove', { collaborator_type: party.type, collaborator_id: party.id })}</li>`,
  );
  return html`<p>Owner: ${renderParty(page.world, owner)}</p>${partyForm(page, 'set_owner', 'Set the owner')}<h3>Collaborators</h3>${rows.length === 0 ? html`<p class="muted">None.</p>` : html`<ul class="chips">${rows}</ul>`}${partyForm(page, 'add_party', 'Add the collaborator')}`;
}

function renderCvs(page: PageRequest, { id }: ProposalDocument): Html {
  const { cvs, users } = page.world.store;
  const rows = cvs
    .find('WHERE proposal_id = ? ORDER BY id', [id])
    .map(
      (cv) =>
        html`<li>${renderLink(pathTo('cvs', cv.id), users.get(cv.user_id)?.name ?? cv.id)} ${renderButton('remove_cv', 'Remove', { tailored_cv_id: cv.id })}</li>`,
    );
  const typed = page.refusal?.form.get('email') ?? '';
  const label = { 'aria-label': 'E-mail of a user', placeholder: 'E-mail of a user' };
  const input = renderInput({ name: 'email', value: typed, ...label });
  const add = renderLineForm('add_cv', 'Add a copy of the CV', input);
  return html`<ul class="chips">${rows}</ul>${add}`;
}

function listProjects({ world: { store, account } }: PageRequest): readonly SelectOption[] {
  return store.projects.find('ORDER BY company_customer_id, id LIMIT 300').map((project) => ({
    value: project.id,
    text: nameOf(project.texts.project_name, account.languages),
    group: nameOf(store.customers.get(project.company_customer_id)?.customer_name, account.languages),
  }));
}

function renderReferences(page: PageRequest, { id }: ProposalDocument): Html {
  const held = page.world.store.tailored_references.find('WHERE proposal_id = ? ORDER BY id', [id]);
  const rows = held.map(({ id: reference, project }) => {
    const name = nameOf(project.texts.project_name, page.world.account.languages);
    const removal = renderButton('remove_reference', 'Remove', { tailored_reference_id: reference });
    return html`<article class="card"><h3>${renderLink(pathTo('projects', project.id), name)} ${removal}</h3>${renderDocuments(page, 'references', reference)}</article>`;
  });
  const projects = listProjects(page);
  const select = renderSelect({ name: 'project_id', 'aria-label': 'Project' }, projects);
  const add = renderLineForm('add_reference', 'Add a copy of the project', select);
  return html`${rows}${projects.length === 0 ? null : add}`;
}

export const PROPOSAL_PAGE: PageRoute = {
  path: '/proposals/:proposal_id',
  show: (page) => {
    const proposal = requireProposal(page);
    return {
      title: proposal.name,
      under: '/proposals',
      lead: html`Proposal ${renderBadge(proposal.status)}${proposal.archived ? renderBadge('archived', 'warn') : null}`,
      body: html`${renderFacts([
        { name: 'Id', is: proposal.id },
        { name: 'Created', is: formatTime(proposal.created_at) },
        { name: 'Changed', is: formatTime(proposal.updated_at) },
      ])}
${renderSection('Fields', renderForm(page, editForm(proposal)))}
${renderSection('People', renderCollaborators(page, proposal))}
${renderSection('Tailored CVs', renderCvs(page, proposal))}
${renderSection('Tailored references', renderReferences(page, proposal))}`,
    };
  },
  actions: {
    save: (page) =>
      saveChanges(page, editForm(requireProposal(page)), (offer) =>
        writeAs(page, proposals.putProposal, { params: page.params, body: { offer } }),
      ),
    set_owner: calls(proposals.putOwner, { body: (page) => ({ owner: readParty(page) }) }),
    add_party: calls(proposals.addCollaborator, { body: (page) => ({ collaborator: readParty(page) }) }),
    remove_party: calls(proposals.removeCollaborator),
    add_cv: calls(creates(TAILORED_CVS), {
      body: ({ world, form }) => {
        const email = (form.get('email') ?? '').trim();
        const user = world.store.findUser(email) ?? refuse(422, `no user has the e-mail ${email}`);
        return { cv: { cv_id: user.default_cv_id } };
      },
    }),
    remove_cv: calls(removes(TAILORED_CVS)),
    add_reference: calls(creates(TAILORED_REFERENCES), {
      body: ({ world, form }) => {
        const { id, company_customer_id } = requireRecord(world.store.projects.get(form.get('project_id') ?? ''));
        return { reference: { company_customer_id, company_project_id: id } };
      },
    }),
    remove_reference: calls(removes(TAILORED_REFERENCES)),
  },
};
