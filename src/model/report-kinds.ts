/** The types of CV reports. Each has its own columns (spec, CV report columns). */
export const CV_REPORT_TYPES = [
  'user_report',
  'usage_report',
  'project_experiences',
  'certifications',
  'courses',
  'languages',
  'technologies',
  'key_qualifications',
  'educations',
  'work_experiences',
  'positions',
  'blogs',
  'cv_roles',
] as const;
export type CvReportType = (typeof CV_REPORT_TYPES)[number];

export const REPORT_FORMATS = ['csv', 'xlsx'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Maximum number of CVs in one report (spec, Limits). */
export const MOST_CVS = 10_000;
