import type { FileCall } from './call.js';
import { type CvKey, fillCv, type ProjectKey } from './record-keys.js';
import type { ServiceFile } from './service-file.js';

export interface DocumentForm {
  /** ISO 639-1: `en`. */
  readonly language: string;
  readonly filetype: 'pdf' | 'docx' | 'pptx';
  readonly signal?: AbortSignal | undefined;
}

/** A rendered reference can only be had from a template; a CV has a default one. */
export type TemplateForm = DocumentForm & { readonly templateId: string };

/**
 * Rendered documents, as raw bytes (spec, Document export). They have a limit of their own, kept here: one in two seconds
 * and ten in a minute. A file must be read or cancelled.
 */
export function createDocumentsReader(open: FileCall) {
  return {
    /** With the default template of the user's office, else of its country, else of the account. */
    downloadCv(cv: CvKey, form: DocumentForm): Promise<ServiceFile> {
      return open({ endpoint: 'downloadCv', path: { ...fillCv(cv), ...fillForm(form) }, signal: form.signal });
    },
    downloadCvFromTemplate(cv: CvKey, form: TemplateForm): Promise<ServiceFile> {
      const path = { ...fillCv(cv), ...fillTemplate(form) };
      return open({ endpoint: 'downloadCvFromTemplate', path, signal: form.signal });
    },
    downloadProject({ customerId, projectId }: ProjectKey, form: TemplateForm): Promise<ServiceFile> {
      const path = { customer_id: customerId, reference_project_id: projectId, ...fillTemplate(form) };
      return open({ endpoint: 'downloadProject', path, signal: form.signal });
    },
    /** A tailored reference of a proposal. */
    downloadProposalProject(proposalId: string, tailoredReferenceId: string, form: TemplateForm): Promise<ServiceFile> {
      const ids = { proposal_id: proposalId, proposal_reference_project_id: tailoredReferenceId };
      const path = { ...ids, ...fillTemplate(form) };
      return open({ endpoint: 'downloadProposalProject', path, signal: form.signal });
    },
  };
}

function fillForm({ language, filetype }: DocumentForm) {
  return { language_code: language, filetype };
}

function fillTemplate(form: TemplateForm) {
  return { ...fillForm(form), template_id: form.templateId };
}
