import { writeSalesforceFooter } from './british.js';
import type { Person } from './company.js';
import type { System } from './write-export.js';

const NORDIC = ['no/Oslo', 'gb/London', 'se/Stockholm', 'no/Bergen'];
const WIDE = ['us/Chicago', 'gb/London', 'de/Berlin', 'fr/Paris', 'ca/Toronto'];

const slackId = ({ objectId }: Person): string => `U0${objectId.slice(0, 8).toUpperCase()}`;
const handle = ({ upn }: Person): string => upn.replace(/@.*/, '');
const bit = (value: '0' | '1') => (): string => value;

const SLACK_COLUMNS = {
  username: handle,
  email: 'email',
  status: 'status',
  'billing-active': ({ hasLeft }: Person) => (hasLeft ? '0' : '1'),
  'has-2fa': bit('1'),
  'has-sso': bit('0'),
  userid: slackId,
  fullname: 'full',
  displayname: 'preferred',
  'expiration-timestamp': 'empty',
} as const;

const SLACK: System = {
  name: 'Slack',
  headersFrom: 'the header of a member list stands in many published programs; that of the analytics is not checked',
  variants: [
    {
      name: 'member list',
      files: ['slack-nordvik-members.csv', 'slack-nordvik-members.csv'],
      offices: NORDIC,
      status: { active: 'Member', left: 'Deactivated' },
      lineEnd: '\n',
      columns: SLACK_COLUMNS,
    },
    {
      name: 'member analytics',
      files: [
        'Nordvik Member Analytics Last 30 Days Nov 16, 2026.csv',
        'Nordvik Member Analytics Last 30 Days Dec 1, 2026.csv',
      ],
      offices: WIDE,
      dates: 'MMM d, yyyy',
      quoted: true,
      activeOnly: true,
      columns: {
        Name: 'full',
        'What I Do': 'title',
        'Account type': () => 'Member',
        'Account created (UTC)': () => 'Mar 14, 2022',
        'Claimed Date (UTC)': () => 'Mar 15, 2022',
        'Deactivated date (UTC)': 'empty',
        'Days active': () => '21',
        'Messages posted': ({ salary }) => String(salary % 300),
        Email: 'email',
        'User ID': slackId,
      },
    },
    {
      name: 'with bots and guests in other words',
      files: ['slack-nordvik-members (1).csv', 'slack-nordvik-members (2).csv'],
      offices: NORDIC,
      status: { active: 'Member', left: 'Deactivated' },
      nobodies: ['bot', 'guest'],
      columns: {
        ...SLACK_COLUMNS,
        status: ({ nobody, hasLeft }) =>
          nobody === 'bot' ? 'Bot' : nobody === 'guest' ? 'Multi-Channel Guest' : hasLeft ? 'Deactivated' : 'Member',
      },
    },
  ],
};

const ATLASSIAN: System = {
  name: 'Atlassian',
  headersFrom:
    '"Export users" of admin.atlassian.com; a published file (User id,User name,email,User status,Added to org); Tempo is not checked',
  variants: [
    {
      name: 'export users',
      files: ['export-users.csv', 'export-users.csv'],
      offices: NORDIC,
      status: { active: 'Active', left: 'Deactivated' },
      nobodies: ['bot'],
      columns: {
        'User id': ({ objectId }) => `712020:${objectId}`,
        'User name': 'full',
        email: 'email',
        'User status': 'status',
        'Added to org': () => '14 Mar 2022',
        'Org role': () => 'User',
        'Last seen in Jira - nordvik': () => '15 Nov 2026',
        'Last seen in Confluence - nordvik': () => 'Never accessed',
      },
    },
    {
      name: 'suspended people, more columns',
      files: ['export-users (1).csv', 'export-users (2).csv'],
      offices: WIDE,
      quoted: true,
      status: { active: 'Active', left: 'Suspended' },
      columns: {
        'User id': ({ objectId }) => `712020:${objectId}`,
        'User name': 'full',
        email: 'email',
        'User status': 'status',
        'Added to org': () => '14 Mar 2022',
        Jobtitle: 'title',
        Department: 'department',
        Location: 'officeElsewhere',
      },
    },
    {
      name: 'team members of Tempo',
      files: ['tempo-team-members-2026-11-16.csv', 'tempo-team-members-2026-12-01.csv'],
      offices: NORDIC,
      dates: 'yyyy-MM-dd',
      columns: {
        Member: 'full',
        'Account ID': ({ objectId }) => `712020:${objectId}`,
        Email: 'email',
        Role: 'title',
        Commitment: () => '100%',
        'Joining Date': 'start',
        'Leaving Date': 'end',
        'Holiday Scheme': ({ site }) => site.name,
      },
    },
  ],
};

const SALESFORCE: System = {
  name: 'Salesforce users report',
  headersFrom:
    'labels of fields of the user object; the footer as several published programs cut it off; its German words are not checked',
  variants: [
    {
      name: 'report with footer',
      files: ['report1794816352771.csv', 'report1794902752112.csv'],
      offices: WIDE,
      quoted: true,
      encoding: 'windows-1252',
      lineEnd: '\n',
      flags: ['1', '0'],
      nobodies: ['service'],
      below: writeSalesforceFooter,
      columns: {
        'First Name': 'first',
        'Last Name': 'last',
        Title: 'title',
        Username: ({ email }) => `${email}.prod`,
        Email: 'email',
        Phone: 'workPhone',
        Mobile: 'mobile',
        'Employee Number': 'number',
        Department: 'department',
        City: 'city',
        Country: 'country',
        Active: 'enabled',
        'Last Login': () => '11/15/2026',
        'Role: Name': () => 'Consultant',
        'Profile: Name': ({ nobody }) => (nobody === null ? 'Standard User' : 'Integration User'),
      },
    },
    {
      name: 'footer without counts, semicolons',
      files: ['Benutzer-2026-11-16-08-15-52.csv', 'Benutzer-2026-11-17-15-41-09.csv'],
      offices: ['de/Berlin', 'de/München', 'at/Wien', 'ch/Zürich'],
      titles: 'de',
      language: 'de',
      separator: ';',
      quoted: true,
      flags: ['true', 'false'],
      below: () => [
        '',
        '"Vertrauliche Informationen - nicht weitergeben"',
        '"Copyright (c) 2000-2026 salesforce.com, inc. Alle Rechte vorbehalten."',
        '"Erstellt von: Anna Müller 16.11.2026 08:15"',
      ],
      columns: {
        Vorname: 'first',
        Nachname: 'last',
        'E-Mail': 'email',
        Titel: 'title',
        Abteilung: 'department',
        Telefon: 'workPhone',
        Ort: 'city',
        Land: 'country',
        Aktiv: 'enabled',
      },
    },
    {
      name: 'names of fields of the Data Loader',
      files: ['extract.csv', 'extract.csv'],
      offices: WIDE,
      quoted: true,
      flags: ['true', 'false'],
      lineEnd: '\n',
      columns: {
        ID: ({ objectId }) => `005Xx${objectId.slice(0, 8)}AbCQAU`,
        USERNAME: ({ email }) => `${email}.prod`,
        FIRSTNAME: 'first',
        LASTNAME: 'last',
        EMAIL: 'email',
        TITLE: 'title',
        DEPARTMENT: 'department',
        CITY: 'city',
        COUNTRYCODE: 'country2',
        ISACTIVE: 'enabled',
        EMPLOYEENUMBER: 'number',
        MANAGERID: ({ manager }) => (manager === null ? '' : `005Xx${manager.objectId.slice(0, 8)}AbCQAU`),
      },
    },
  ],
};

const HARVEST: System = {
  name: 'Harvest',
  headersFrom: 'support.getharvest.com, article 360048181732 and its earlier edition: columns of people',
  variants: [
    {
      name: 'team export',
      files: ['harvest_people_2026-11-16.csv', 'harvest_people_2026-12-01.csv'],
      offices: NORDIC,
      flags: ['Yes', 'No'],
      columns: {
        'First Name': 'first',
        'Last Name': 'last',
        Email: 'email',
        'Employee ID': 'number',
        Roles: ({ title, department }) => `${department}, ${title}`,
        Capacity: () => '37.5',
        'Billable Rate': () => '1450.0',
        Contractor: ({ type }) => (type === 'contractor' ? 'Yes' : 'No'),
        Archived: 'blocked',
      },
    },
    {
      name: 'earlier columns',
      files: ['people.csv', 'people.csv'],
      offices: WIDE,
      columns: {
        'First Name': 'first',
        'Last Name': 'last',
        Email: 'email',
        'Hourly Rate': () => '150.0',
        Department: 'department',
        Admin: () => 'false',
        Contractor: ({ type }) => String(type === 'contractor'),
      },
    },
    {
      name: 'plan of a resource tool',
      files: ['People - Float - 16 Nov 2026.csv', 'People - Float - 1 Dec 2026.csv'],
      offices: WIDE,
      flags: ['Active', 'Archived'],
      columns: {
        Name: 'full',
        Role: 'title',
        Department: 'department',
        Email: 'email',
        Tags: ({ site }) => `${site.name}; billable`,
        Type: 'type',
        Region: 'country',
        Status: 'enabled',
        'Start date': 'start',
        'End date': 'end',
      },
    },
  ],
};

const CONSULTANTS: System = {
  name: 'List of consultants',
  headersFrom: 'lists that firms keep by hand, and exports of CV databases: the fields of people in this service',
  variants: [
    {
      name: 'Norwegian spreadsheet',
      files: ['Konsulentliste nov 2026.csv', 'Konsulentliste des 2026.csv'],
      offices: NORDIC,
      titles: 'no',
      language: 'no',
      separator: ';',
      encoding: 'windows-1252',
      dates: 'dd.MM.yyyy',
      above: ['Konsulenter Nordvik', ''],
      columns: {
        Navn: 'full',
        Tittel: 'title',
        Kontor: 'office',
        Land: 'country',
        Epost: 'email',
        Mobil: 'mobile',
        Startet: 'start',
        Sluttet: 'end',
      },
    },
    {
      name: 'CV database',
      files: ['users-export-2026-11-16.csv', 'users-export-2026-12-01.csv'],
      offices: WIDE,
      flags: ['true', 'false'],
      columns: {
        name: 'full',
        email: 'email',
        upn: 'upn',
        external_unique_id: 'number',
        'title.en': 'title',
        telephone: 'mobile',
        office_name: 'office',
        country_code: ({ site }) => site.country,
        deactivated: 'blocked',
        role: () => 'consultant',
      },
    },
    {
      name: 'spreadsheet with nothing but names and offices',
      files: ['Who is who.csv', 'Who is who.csv'],
      offices: WIDE,
      columns: {
        Who: 'full',
        'Job they do': 'title',
        'Where they sit': 'office',
        'How to reach them': 'email',
      },
    },
  ],
};

const ODOO: System = {
  name: 'Odoo',
  headersFrom: 'labels and names of fields of hr.employee; not checked',
  variants: [
    {
      name: 'export of employees',
      files: ['Employee (hr.employee).csv', 'Employee (hr.employee).csv'],
      offices: ['be/Brussel', 'nl/Amsterdam', 'fr/Paris'],
      quoted: true,
      flags: ['True', 'False'],
      columns: {
        'Employee Name': 'full',
        'Work Email': 'email',
        'Work Mobile': 'mobile',
        'Work Phone': 'workPhone',
        'Job Title': 'title',
        'Job Position': 'grade',
        Department: 'department',
        Manager: 'manager',
        'Work Location': 'office',
        'Work Address/Country': 'country',
        Company: () => 'Nordvik NV',
        Active: 'enabled',
        'Badge ID': ({ objectId }) => `041${objectId.slice(0, 7)}`,
      },
    },
    {
      name: 'names of fields',
      files: ['hr.employee.csv', 'hr.employee.csv'],
      offices: ['be/Brussel', 'nl/Amsterdam', 'fr/Paris'],
      flags: ['True', 'False'],
      columns: {
        id: ({ objectId }) => `__export__.hr_employee_${Number.parseInt(objectId.slice(0, 4), 16)}`,
        name: 'full',
        work_email: 'email',
        private_email: 'privateEmail',
        job_title: 'title',
        'work_location_id/name': 'office',
        registration_number: 'number',
        active: 'enabled',
        departure_date: 'leftOn',
      },
    },
    {
      name: 'French',
      files: ['Employé (hr.employee).csv', 'Employé (hr.employee).csv'],
      offices: ['fr/Paris', 'fr/Lyon', 'be/Bruxelles'],
      titles: 'fr',
      language: 'fr',
      quoted: true,
      activeOnly: true,
      columns: {
        "Nom de l'employé": 'full',
        'E-mail professionnel': 'email',
        'Mobile professionnel': 'mobile',
        'Titre du poste': 'title',
        Département: 'department',
        Responsable: 'manager',
        'Lieu de travail': 'office',
        Pays: 'country',
      },
    },
  ],
};

export const LISTS: readonly System[] = [SLACK, SALESFORCE, ATLASSIAN, HARVEST, CONSULTANTS, ODOO];
