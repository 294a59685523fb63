import type { Multilingual } from '../model/json.js';

export type WorkflowStage = 'draft' | 'ready_for_review' | 'live';

type Sensitivity = {
  /** The field's permanent `field_name`; an unknown one refuses the whole call with 404. */
  readonly name: string;
  readonly sensitivity?: 'anonymized' | 'confidential';
  readonly anonymized?: Multilingual;
};

/** One value of a custom field, by the field's kind (spec, Custom fields on projects). Those not listed stay. */
export type CustomFieldValue =
  /** `numeric`; of a `single_select` the option's external id, never its name or id. null clears it. */
  | (Sensitivity & { readonly value: string | number | null })
  /** `currency_amount`: whole and not negative; the code in lower case. */
  | (Sensitivity & { readonly amount: number; readonly currency: string })
  /** `quantity`: an unknown unit is refused. */
  | (Sensitivity & { readonly amount: number | string; readonly unit?: string })
  /** `year_month_range`: `2026-11`. */
  | (Sensitivity & { readonly from: string; readonly to: string });

/** Languages left out of a multilingual value are removed (spec, Project rules 4). */
export interface ProjectFields {
  readonly external_unique_id?: string | null;
  readonly project_name?: Multilingual;
  readonly project_description?: Multilingual;
  readonly project_introduction?: Multilingual;
  readonly project_notes?: Multilingual;
  readonly project_skills_description?: Multilingual;
  readonly type?: Multilingual;
  readonly contract_type?: Multilingual;
  readonly architect?: string | null;
  readonly area_amt?: string | null;
  readonly area_unit?: string | null;
  readonly building_owner?: string | null;
  readonly collaborating_partners?: string | null;
  readonly project_address?: string | null;
  /** Free text. */
  readonly extent?: string | null;
  readonly extent_amt?: string | null;
  readonly total_extent_amt?: string | null;
  readonly total_extent_hours?: string | null;
  readonly extent_hours_new?: string | null;
  /** Lower case, as every currency. */
  readonly extent_currency?: string | null;
  readonly total_extent_currency?: string | null;
  readonly location_country_code?: string | null;
  readonly month_from?: string | null;
  readonly year_from?: string | null;
  readonly month_to?: string | null;
  readonly year_to?: string | null;
  /** A `WorkflowStage`; `live` needs the publish permission, any other word is 422. */
  readonly workflow_stage?: string;
  readonly custom_fields?: readonly CustomFieldValue[];
}
/** `office_ids` are ignored on update without a word (spec, Project rules 3), so an update cannot name them. */
export type ProjectCreate = ProjectFields & { readonly office_ids?: readonly string[] };
