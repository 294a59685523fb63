/** A CV is identified by both ids (spec, CVs and sections). */
export interface CvKey {
  readonly userId: string;
  readonly cvId: string;
}

/** A project is identified together with its customer (spec, Customers and reference projects). */
export interface ProjectKey {
  readonly customerId: string;
  readonly projectId: string;
}
