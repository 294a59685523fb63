import { collect } from '../desk.js';
import { type CallCase, none } from './call-case.js';

const proposal = { _id: 'o1', name: 'Bid', status: 'initial', archived: false };
const offer = { id: 'o1', name: 'Bid', status: 'initial' };

export const PROPOSAL_CASES: readonly CallCase[] = [
  {
    name: 'listProposals',
    make: (s) => collect(s.reader.proposals.list({ query: 'bid', includeArchived: true })),
    line: 'GET /api/v1/all_offers?query=bid&include_archived=true&limit=100&offset=0',
    reply: { body: [proposal] },
    gives: [[offer]],
  },
  {
    name: 'listOwnProposals',
    make: (s) => s.reader.proposals.listOwn(),
    line: 'GET /api/v1/offers',
    reply: { body: [proposal] },
    gives: [offer],
  },
  {
    name: 'getProposal',
    make: (s) => s.reader.proposals.get('o1'),
    line: 'GET /api/v1/offers/o1',
    reply: { body: proposal },
    gives: offer,
  },
  {
    name: 'createProposal',
    make: (s) => s.writer.proposals.create({ name: 'Bid', owner_id: 'u1', status: 'editing' }),
    line: 'POST /api/v2/offers/',
    body: { offer: { name: 'Bid', owner_id: 'u1', status: 'editing' } },
    reply: { body: { offer: proposal } },
    gives: { value: offer },
  },
  {
    name: 'updateProposal',
    make: (s) => s.writer.proposals.update('o1', { archived: true, status: 'won' }),
    line: 'PUT /api/v1/offers/o1',
    body: { offer: { archived: true, status: 'won' } },
    reply: { body: { ...proposal, archived: true, status: 'won' } },
    gives: { value: { archived: true, status: 'won' } },
  },
  {
    name: 'changeProposalOwner',
    make: (s) => s.writer.proposals.changeOwner('o1', { type: 'user', id: 'u1' }),
    line: 'PUT /api/v2/offers/o1/owner',
    body: { owner: { type: 'user', id: 'u1' } },
    reply: { body: proposal },
    gives: { value: offer },
  },
  {
    name: 'listCollaborators',
    make: (s) => s.reader.proposals.listCollaborators('o1'),
    line: 'GET /api/v2/offers/o1/collaborators',
    reply: {
      body: {
        api_users: [
          { id: 'a1', name: 'Key', access_token: 'tell nobody', enabled: true, roles: ['readonly_proposal'] },
        ],
        users: [{ id: 'u1', email: 'a@example.com', default_cv_id: 'v1' }],
      },
    },
    gives: {
      api_users: [{ id: 'a1', name: 'Key', enabled: true, roles: ['readonly_proposal'] }],
      users: [{ id: 'u1', email: 'a@example.com', default_cv_id: 'v1' }],
    },
  },
  {
    name: 'addCollaborator',
    make: (s) => s.writer.proposals.addCollaborator('o1', { type: 'api_user', id: 'a1' }),
    line: 'POST /api/v2/offers/o1/collaborators',
    body: { collaborator: { type: 'api_user', id: 'a1' } },
    reply: { body: { anything: 1 } },
    gives: { value: null, status: 200 },
  },
  {
    name: 'removeCollaborator',
    make: (s) => s.writer.proposals.removeCollaborator('o1', { type: 'user', id: 'u1' }),
    line: 'DELETE /api/v2/offers/o1/collaborators/user/u1',
    reply: none,
  },
  {
    name: 'addProposalCv',
    make: (s) => s.writer.proposals.addCv('o1', 'v1'),
    line: 'POST /api/v1/offers/o1/cvs?use_legacy_codes=false',
    body: { cv: { cv_id: 'v1' } },
    reply: { body: { id: 'v2', user_id: 'u1', status: 'initial' } },
    gives: { value: { id: 'v2', user_id: 'u1', status: 'initial' } },
  },
  {
    name: 'removeProposalCv',
    make: (s) => s.writer.proposals.removeCv('o1', 'v2'),
    line: 'DELETE /api/v1/offers/o1/cvs/v2',
    reply: none,
  },
  {
    name: 'listProposalCvs',
    make: (s) => s.reader.proposals.listCvs('o1'),
    line: 'GET /api/v1/offers/o1/cvs?use_legacy_codes=false',
    reply: { body: [{ id: 'v2', user_id: 'u1', status: null, title: { en: 'Lead' } }] },
    gives: [{ id: 'v2', user_id: 'u1', status: null, title: { en: 'Lead' } }],
  },
  {
    name: 'addProposalReference',
    make: (s) => s.writer.proposals.addReference('o1', { customerId: 'c1', projectId: 'p1' }),
    line: 'POST /api/v1/offers/o1/references?use_legacy_codes=false',
    body: { reference: { company_customer_id: 'c1', company_project_id: 'p1' } },
    reply: { body: { hello: 1 } },
    gives: { value: null, status: 200 },
  },
  {
    name: 'removeProposalReference',
    make: (s) => s.writer.proposals.removeReference('o1', 'p2'),
    line: 'DELETE /api/v1/offers/o1/references/p2',
    reply: none,
  },
  {
    name: 'listProposalReferences',
    make: (s) => s.reader.proposals.listReferences('o1'),
    line: 'GET /api/v1/offers/o1/references?use_legacy_codes=false',
    reply: { body: [{ id: 'p2', status: 'editing', project_name: { en: 'Dam' } }] },
    gives: [{ id: 'p2', status: 'editing', project_name: { en: 'Dam' } }],
  },
  {
    name: 'openProposal',
    make: async (s) => s.reader.proposals.linkTo('o/1'),
    line: null,
    gives: 'https://acme.example.com/redirect/to/proposal?id=o%2F1',
  },
];
