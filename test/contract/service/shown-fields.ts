/**
 * The fields of each record that the interface shows in its parts 2, "Resources and their fields", and 4, "Endpoints".
 * The table in docs/reference/sandbox.md lists records with additional fields.
 */
const SECTION =
  '_id starred disabled version external_unique_id order owner_updated_at recently_added created_at updated_at';
const TAG = 'id values external_unique_id custom_tag_category_id category_ids';
const PERIOD = 'month_from month_to year_from year_to';
const ENTRY = 'id reference_project_id label value disabled version';

const PROJECT = `external_unique_id project_name project_description project_introduction project_notes
  project_skills_description type contract_type architect area_amt area_unit building_owner collaborating_partners
  project_address extent extent_amt total_extent_amt total_extent_hours extent_hours_new extent_currency
  total_extent_currency location_country_code ${PERIOD} workflow_stage id company_customer_id customer_name version
  updated_at has_linked_project_experiences project_challenges project_solutions customer_value_propositions
  customer_contacts project_links company_project_skills project_owners offices attachments custom_tags custom_fields
  project_introduction_images project_challenges_images project_solutions_images customer_value_propositions_images`;

const SECTIONS = {
  key_qualifications: 'label long_description tag_line',
  educations: `degree description school ${PERIOD}`,
  work_experiences: `description employer long_description ${PERIOD}`,
  languages: 'level name',
  technologies: 'uncategorized category',
  certifications: 'long_description month month_expire name organiser year year_expire',
  courses: 'long_description month name program year',
  presentations: 'description long_description month year',
  recommendations: 'long_description recommender',
  positions: 'description name year_from year_to',
  blogs: 'long_description month name url year',
  honors_awards: 'for_work issuer long_description month name year',
  mentorings: `context long_description ${PERIOD}`,
  project_experiences: `area_amt area_unit customer customer_anonymized customer_description customer_value_proposition
    description extent_hours industry long_description ${PERIOD} percent_allocated project_extent_amt
    project_extent_currency project_extent_hours project_type total_extent_amt total_extent_currency total_extent_hours
    images project_experience_skills roles expected_roll_off_date exclude_tags project_experience_customer_contacts
    link_type reference_project_id reference_customer_id reference_project contract_type project_address
    location_country_code`,
} as const;

const CV = `_id user_id born_year external_unique_id email name name_multilang title nationality place_of_residence version
  default cv_roles highlighted_roles ${Object.keys(SECTIONS).join(' ')} custom_tag_ids custom_tags updated_at created_at
  owner_updated_at owner_updated_at_significant`;

const SHOWN = {
  user: `user_id id email external_unique_id upn name name_multilang telephone landline title nationality born_year
    place_of_residence twitter override_language_code default_cv_id deactivated deactivated_at created_at updated_at
    profile_updated_at role roles role_allowed_office_ids role_allowed_tag_ids office_id office_name country_id
    country_code language_code image`,
  country: '_id code native_language_code override_ui_language_code cv_template_id cv_template_type offices',
  office: '_id name country_id country_code override_language_code num_users num_users_activated num_users_deactivated',
  customer: 'external_unique_id customer_name customer_description customer_url industry_id custom_tags',
  industry: 'id section_type field_name values external_unique_id',
  'masterdata of technologies': 'id section_type field_name values external_unique_id',
  category: `id values external_unique_id can_be_used_for_cvs can_be_used_for_references can_be_used_for_customers
    allow_filtering lock_for_integrations custom_tags`,
  tag: TAG,
  'tag of a record': `${TAG} custom_tag_category`,
  project: PROJECT,
  'challenge, solution, value proposition': ENTRY,
  'project link': 'id label url disabled version',
  'project owner': 'id email external_unique_id name office_id office_name role title deactivated',
  'image of a project': 'id image_id caption image',
  'project in search results': `id external_unique_id ${PERIOD} project_name project_introduction company_customer_id
    customer_name industry extent extent_hours workflow_stage image_count`,
  'custom field of a project': 'name type value sensitivity anonymized',
  CV,
  'result of the CV search': 'cv preview_url id index highlight highlights',
  'CV in search results': `id user_id name image title titles email company_id updated_at owner_updated_at country_code
    language_code language_codes`,
  'metadata of a CV': '_id id updated_ago updated_at owner_updated_at last_modified_by owner_updated',
  'image of a project experience': 'id order caption image',
  role: `_id cv_role_id name long_description summary order origin_id starred disabled diverged_from_master
    recently_added created_at updated_at modifier_id version`,
  'skill of a project experience':
    '_id base_duration_in_years offset_duration_in_years order proficiency tags total_duration_in_years version',
  proposal: '_id name archived created_at updated_at owner_id owner_name api_owner_id api_owner_name status',
  collaborators: 'api_users users',
  'tailored CV': `id status ${CV}`,
  'tailored reference': `status ${PROJECT}`,
  'reference report': '_id id percentProcessed processed total state file',
  'CV report': `_id created_at updated_at updated_ago downloader_id percent_complete number_of_cvs
    number_of_completed_cvs state cv_report`,
  'import task': 'import_task dry_run',
  ...Object.fromEntries(
    Object.entries(SECTIONS).map(([type, own]) => [`section ${type}`, `${SECTION} ${own}`] as const),
  ),
} as const;

/** The fields of a record that the interface does not show; all of them if it shows none. */
export function listBeyond(record: string, document: object): readonly string[] {
  const shown = (SHOWN as Readonly<Record<string, string>>)[record]?.split(/\s+/) ?? [];
  return Object.keys(document).filter((name) => !shown.includes(name));
}
