import type { World } from '../account/world.js';
import { type CodeMode, type Texts, toWireTexts } from '../fields/languages.js';
import { companyId } from './client-fields.js';

/** The section type and field of CVs to which a masterdata record belongs. */
interface MasterdataPlace {
  readonly section_type: string;
  readonly field_name: string;
}

interface MasterdataRecord {
  readonly id: string;
  readonly values: Texts;
  readonly external_unique_id: string | null;
}

/** Renders a masterdata record (spec, Search result item) with the fields that existing clients read. */
export function renderMasterdata(
  world: World,
  place: MasterdataPlace,
  { id, values, external_unique_id }: MasterdataRecord,
  mode: CodeMode,
): object {
  const extras = { _id: id, company_id: companyId(world), help_text: {} };
  return { ...extras, id, ...place, values: toWireTexts(values, mode), external_unique_id };
}
