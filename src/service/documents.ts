import type { FileCall } from './call.js';
import type { CvKey, ProjectKey } from './record-keys.js';
import type { ServiceFile } from './service-file.js';

export interface DocumentForm {
  /** ISO 639-1 code, for example `en`. */
  readonly language: string;
  readonly filetype: 'pdf' | 'docx' | 'pptx';
  readonly signal?: AbortSignal | undefined;
}

/** A reference can only be rendered with a template that the caller names; a CV has a default template. */
export type TemplateForm = DocumentForm & { readonly templateId: string };

/**
 * Rendered documents, as raw bytes (spec, Document export). Downloads have their own limit, which the limiter enforces:
 * one in two seconds and ten in a minute. The caller must read or cancel each file.
 */
export function createDocumentsReader(open: FileCall) {
  return {
    /** Uses the default template of the user's office, or else of its country, or else of the account. */
    downloadCv: ({ userId, cvId }: CvKey, { language, filetype, signal }: DocumentForm): Promise<ServiceFile> =>
      open({ endpoint: 'downloadCv', path: [userId, cvId, language, filetype], signal }),
    downloadCvFromTemplate({ userId, cvId }: CvKey, form: TemplateForm): Promise<ServiceFile> {
      const path = [userId, cvId, form.language, form.filetype, form.templateId];
      return open({ endpoint: 'downloadCvFromTemplate', path, signal: form.signal });
    },
    downloadProject({ customerId, projectId }: ProjectKey, form: TemplateForm): Promise<ServiceFile> {
      const path = [customerId, projectId, form.language, form.filetype, form.templateId];
      return open({ endpoint: 'downloadProject', path, signal: form.signal });
    },
    /** Downloads a tailored reference of a proposal. */
    downloadProposalProject(proposalId: string, tailoredReferenceId: string, form: TemplateForm): Promise<ServiceFile> {
      const path = [form.language, proposalId, tailoredReferenceId, form.filetype, form.templateId];
      return open({ endpoint: 'downloadProposalProject', path, signal: form.signal });
    },
  };
}
