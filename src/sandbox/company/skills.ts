/** The skills of each group in the phrases. They are the same in all languages. */
export const SKILLS: readonly (readonly string[])[] = [
  ['TypeScript', 'Go', 'Python', 'Java', 'C#', 'Rust', 'Kotlin', 'SQL', 'Scala', 'Swift'],
  ['Kubernetes', 'Terraform', 'AWS', 'Azure', 'Google Cloud', 'Docker', 'Linux', 'PostgreSQL', 'Ansible'],
  ['dbt', 'Kafka', 'Spark', 'Power BI', 'Snowflake', 'Airflow', 'Elasticsearch', 'pandas'],
  ['Scrum', 'Kanban', 'ISO 27001', 'TOGAF', 'OWASP', 'Design Sprint', 'PRINCE2', 'ITIL', 'BPMN'],
];

export const CERTIFICATES: readonly (readonly [name: string, organiser: string])[] = [
  ['AWS Certified Solutions Architect', 'Amazon Web Services'],
  ['Certified Kubernetes Administrator', 'Cloud Native Computing Foundation'],
  ['ISTQB Foundation Level', 'ISTQB'],
  ['PRINCE2 Practitioner', 'PeopleCert'],
  ['CISSP', 'ISC2'],
  ['Professional Scrum Master I', 'Scrum.org'],
];
