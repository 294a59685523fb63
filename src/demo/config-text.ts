/** The demo's configuration, commented for those who read it afterwards. */
export function renderConfig(serviceUrl: string, idpUrl: string): string {
  return `# The configuration of the demo. Paths are relative to this file; config/full.yaml has every key there is.
service:
  base_url: ${serviceUrl}
  api_key: { file: ./secrets/service-key }
  rate_limit: { concurrency: 8 }
state: ./var
policy: sync # creates, updates and deactivates
sources:
  hr: # the newest file decides who works here
    type: csv
    drop: ./drop/hr
    pattern: "employees-*.csv"
    settle: 0s # the demo writes whole files
    key: employee_id
    columns:
      employee_id: string
      name: string
      email: string
      status: string
      country: string
      office: string
      title: string
      title_local: { type: string, optional: true }
      unit: string
      seniority: string
      country_manager: { type: bool, true: [ja, yes] }
      birth_year: { type: int, optional: true }
      phone: { type: string, optional: true }
    write_back: # back to HR in files: what colleagues change, and the ids of accounts
      drop: ./drop/to-hr
      columns: [employee_id, phone, talent_id]
  idp: # adds sign-in names
    type: scim
    base_url: ${idpUrl}
    auth: { bearer: { file: ./secrets/idp-token } }
  crm:
    type: crm
    drop: ./drop/crm
    streams:
      companies:
        pattern: "companies-*.json"
        settle: 0s
        rows: /results
        key: id
        columns: { id: string, name: string, website: { type: string, optional: true } }
      deals:
        pattern: "deals-*.ndjson"
        settle: 0s
        key: id
        columns:
          id: string
          customer_id: string
          name: string
          stage: string
          owners: { type: list, optional: true }
users:
  existence: hr
  enrich:
    idp: { join: "idp.externalId == hr.employee_id" }
  match: [external_unique_id, email] # how records find accounts that are there already
  leaver:
    when: hr.status == "terminated"
    after_missing_reads: 1 # the demo has no time for the default of 3
  fields:
    external_unique_id: hr.employee_id
    email: hr.email.lowerAscii()
    upn: idp.?userName
    name: hr.name
    telephone: { value: hr.?phone, authority: service, write_back: true } # colleagues may change it
    office: { country: hr.country, name: hr.office, create_missing: true }
    title:
      en: hr.title
      no: 'hr.country == "NO" ? hr.?title_local : optional.none()'
      sv: 'hr.country == "SE" ? hr.?title_local : optional.none()'
      de: 'hr.country == "DE" ? hr.?title_local : optional.none()'
    roles: 'hr.country_manager ? ["consultant", "countrymanager"] : ["consultant"]'
    tags: { business_unit: hr.unit, seniority: hr.seniority }
    born_year: { value: hr.?birth_year, apply: create }
  write_back:
    hr: { talent_id: user.id }
customers:
  from: [crm.companies]
  match: [external_unique_id, customer_name]
  fields:
    external_unique_id: record.id
    customer_name: { en: record.name }
    customer_url: record.?website
projects:
  from: [crm.deals]
  match: [external_unique_id]
  fields:
    external_unique_id: record.id
    customer: record.customer_id
    project_name: { en: record.name }
    workflow_stage: record.stage
    owners: record.?owners
tags: { create_missing: true }
guards: # the default, written out: at most 2 percent of the people may leave at once, 3 always, 10 never
  users: { deactivate: { max: 10, percent: 2, min: 3 } }
timezone: Europe/Oslo
`;
}
