import type { WORKFLOW_STAGES } from '../model/fields.js';
import type { Multilingual } from '../model/json.js';
import type { PlainBody } from './wire-plain.js';

export type WorkflowStage = (typeof WORKFLOW_STAGES)[number];

type Sensitivity = {
  /** The field's permanent `field_name`; an unknown one makes the service reject the call with 404. */
  readonly name: string;
  readonly sensitivity?: 'anonymized' | 'confidential';
  readonly anonymized?: Multilingual;
};

/** One value of a custom field, by the field's kind (spec, Custom fields on projects). Fields not listed stay unchanged. */
export type CustomFieldValue =
  /** `numeric`; for a `single_select`, the option's external id, never its name or id. null clears the value. */
  | (Sensitivity & { readonly value: string | number | null })
  /** `currency_amount`: an integer that is not negative, and the currency code in lower case. */
  | (Sensitivity & { readonly amount: number; readonly currency: string })
  /** `quantity`: the service rejects an unknown unit. */
  | (Sensitivity & { readonly amount: number | string; readonly unit?: string })
  /** `year_month_range`, for example `2026-11`. */
  | (Sensitivity & { readonly from: string; readonly to: string });

/** Languages left out of a multilingual value are removed (spec, Project rules 4). */
export interface ProjectFields extends PlainBody<'projects'> {
  readonly custom_fields?: readonly CustomFieldValue[];
}
/** The service silently ignores `office_ids` on update (spec, Project rules 3), so an update cannot name them. */
export type ProjectCreate = ProjectFields & { readonly office_ids?: readonly string[] };
