import * as z from 'zod';
import { PART_TYPES, PARTS, type PartType, SECTION_TYPES, SECTIONS } from '../../fields/section-kinds.js';
import { AnySection, Cv, CvMetadata, CvSearchPage, nameSchema, PART_SCHEMAS } from './cv-schemas.js';
import type { OperationGroup, Operations } from './operation.js';
import { count, id, shapeOf, show, showTextFields, Texts, take, text, wrap } from './shapes.js';

const flag = z.boolean();
const CV = '/api/v3/cvs/:user_id/:cv_id';
const SECTION = `${CV}/:section_type/:section_id`;

const CvBody = wrap(
  'cv',
  take({
    ...shapeOf(text, 'navn', 'telefon', 'landline'),
    born_year: count,
    ...shapeOf(Texts, 'name_multilang', 'title', 'place_of_residence'),
  }),
);

const PARTS_IN_BODIES = z.array(show({}));

const SECTION_BODIES = SECTION_TYPES.map((type) =>
  z.looseObject({
    [SECTIONS[type].wrapper]: take({
      ...showTextFields(SECTIONS[type]),
      ...shapeOf(flag, 'starred', 'disabled'),
      ...shapeOf(count, 'order', 'version'),
      external_unique_id: text,
      ...(type === 'technologies' ? { uncategorized: flag, technology_skills: PARTS_IN_BODIES } : {}),
    }),
  }),
);
/** The name of the wrapper is that of the section type in the path. */
const SectionBody = z.union(SECTION_BODIES as unknown as readonly [z.ZodType, z.ZodType, ...z.ZodType[]]);

/** Conditions of the CV search and the CV report. */
export const clauses = z
  .union([z.array(show({})), show({})])
  .meta({ description: 'Clauses that must all match: `bool`, `query`, `technology_skill`, `exact`.' });

/** The operations on roles that the specification describes. */
const SHOWN_OF_ROLES = ['create', 'get'];

function listPartOperations(type: PartType): Operations {
  const { section, wrapper, numbers } = PARTS[type];
  const list = `${CV}/${section}/:section_id/${type}`;
  const name = type === 'roles' ? 'CvRole' : nameSchema(wrapper);
  const answer = PART_SCHEMAS[type];
  const own = {
    ...showTextFields(PARTS[type]),
    ...shapeOf(z.number(), ...numbers),
    ...shapeOf(flag, 'starred', 'disabled'),
  };
  const body = wrap(wrapper, take({ ...own, ...shapeOf(count, 'order', 'version') }));
  const what = wrapper.replaceAll('_', ' ');
  const isShown = (verb: string): { readonly isBeyond?: true } =>
    type === 'roles' && SHOWN_OF_ROLES.includes(verb) ? {} : { isBeyond: true };
  return {
    [`POST ${list}`]: { id: `create${name}`, summary: `Create a ${what}`, body, answer, ...isShown('create') },
    [`GET ${list}/:part_id`]: { id: `get${name}`, summary: `A ${what}`, answer, ...isShown('get') },
    [`PUT ${list}/:part_id`]: { id: `update${name}`, summary: `Change a ${what}`, body, answer, isBeyond: true },
    [`DELETE ${list}/:part_id`]: {
      id: `delete${name}`,
      summary: `Delete a ${what}`,
      answer: 'nothing',
      isBeyond: true,
    },
  };
}

/** The body that attaches a tag to a record. It is the same for CVs, customers and projects. */
export const TagAttachment = take(shapeOf(z.string(), 'custom_tag_category_id', 'custom_tag_id'));

export const CVS: OperationGroup = {
  tag: 'CVs',
  description: 'CVs, their sections and the parts of sections.',
  operations: {
    'POST /api/v4/search': {
      id: 'searchCvs',
      summary: 'Find master CVs',
      body: show({
        offset: count.optional(),
        size: z.int().min(1).max(500),
        office_ids: z.array(id).nullish(),
        must: clauses.nullish(),
      }),
      answer: CvSearchPage,
    },
    [`GET ${CV}`]: { id: 'getCv', summary: 'A complete CV', answer: Cv },
    [`PUT ${CV}`]: { id: 'updateCv', summary: 'Change the personal part of a CV', body: CvBody, answer: Cv },
    [`GET ${CV}/metadata`]: {
      id: 'getCvMetadata',
      summary: 'When a CV changed, and by whom',
      query: { detailed: flag },
      answer: CvMetadata,
    },
    [`POST ${CV}/:section_type`]: {
      id: 'createCvSection',
      summary: 'Create a section',
      body: SectionBody,
      answer: AnySection,
    },
    [`GET ${SECTION}`]: { id: 'getCvSection', summary: 'A section', answer: AnySection },
    [`PUT ${SECTION}`]: {
      id: 'updateCvSection',
      summary: 'Change a section, with the version that was read',
      body: SectionBody,
      answer: AnySection,
    },
    [`DELETE ${SECTION}`]: { id: 'deleteCvSection', summary: 'Delete a section', answer: 'nothing' },
    ...Object.assign({}, ...PART_TYPES.map(listPartOperations)),
    [`POST ${CV}/project_experiences/:section_id/images`]: {
      id: 'addImage',
      summary: 'Add an image to a project experience',
      body: 'multipart/form-data',
      answer: show({}),
      isBeyond: true,
    },
    [`POST ${CV}/custom_tags`]: {
      id: 'addCvTag',
      summary: 'Attach a tag to a CV',
      body: TagAttachment,
      answer: Cv,
    },
    [`DELETE ${CV}/custom_tags/:tag_id`]: { id: 'removeCvTag', summary: 'Remove a tag from a CV', answer: 'nothing' },
  },
};
