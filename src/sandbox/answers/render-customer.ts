import type { World } from '../account/world.js';
import type { Call } from '../calls/call.js';
import { type CodeMode, toWireTexts } from '../fields/languages.js';
import { CUSTOMER_FIELDS, renderFields } from '../fields/plain-fields.js';
import type { CustomerDocument } from '../store/documents.js';
import { companyId } from './client-fields.js';
import { renderMasterdata } from './render-masterdata.js';
import { renderRecordTags } from './render-tags.js';
import { renderImage } from './render-user.js';
import { toStamp } from './stamps.js';

const INDUSTRY = { section_type: 'project_experiences', field_name: 'industry' };

/**
 * Renders the industry of a customer or of its projects. Times of an industry are not stored, so it gets those of the customer.
 */
export function renderIndustry(world: World, customer: CustomerDocument | undefined, mode: CodeMode): object | null {
  const industry = world.store.industries.get(customer?.industry_id ?? '');
  if (!industry || !customer) return null;
  const made = toStamp(world, customer.created_at);
  return { ...renderMasterdata(world, INDUSTRY, industry, mode), created_at: made, updated_at: made };
}

export function renderCustomer({ world, mode }: Call, customer: CustomerDocument): object {
  return {
    id: customer.id,
    _id: customer.id,
    customer_name: toWireTexts(customer.customer_name, mode),
    industry_id: customer.industry_id,
    industry: renderIndustry(world, customer, mode),
    customer_description_to_cvs: {},
    masterdata_industry_id: customer.industry_id,
    image: renderImage(null),
    image_width: null,
    image_height: null,
    company_id: companyId(world),
    project_count: world.store.projects.count('WHERE company_customer_id = ?', [customer.id]),
    version: customer.version,
    custom_tags: renderRecordTags(world, customer.custom_tag_ids, 'can_be_used_for_customers', mode),
    created_at: toStamp(world, customer.created_at),
    updated_at: toStamp(world, customer.updated_at),
    ...renderFields(CUSTOMER_FIELDS, customer, mode),
  };
}
