/** A CV is named by both ids (spec, CVs and sections). */
export interface CvKey {
  readonly userId: string;
  readonly cvId: string;
}

/** A project is named together with its customer (spec, Customers and reference projects). */
export interface ProjectKey {
  readonly customerId: string;
  readonly projectId: string;
}

export function fillCv({ userId, cvId }: CvKey) {
  return { user_id: userId, cv_id: cvId };
}

export function fillProject({ customerId, projectId }: ProjectKey) {
  return { customer_id: customerId, project_id: projectId };
}
