import * as z from 'zod';
import type { Writes, Writing } from './answer.js';
import type { ProjectKey } from './record-keys.js';
import type { PlainBody } from './wire-plain.js';
import { identifier, text } from './wire-values.js';

export interface ConsultantLink extends Pick<PlainBody<'staffing'>, 'include_dates'> {
  /** The users whose master CVs each get a new project experience. One unknown user makes the service reject the call (404). */
  readonly user_ids: readonly string[];
  /** True creates a hard link, which reads its values from the project. Otherwise the service creates a copy. */
  readonly link_to_project?: boolean;
  readonly notify_by_email?: boolean;
  /** Adds the id of the new experience to the answer. */
  readonly include_section_ids?: boolean;
  /** Ignored on a hard link, like the next field. */
  readonly customer_contact_ids?: readonly string[];
  readonly project_image_ids?: readonly string[];
}

export const WireLinkedCvs = z.object({
  updated_cvs: z.array(z.object({ user_id: identifier, cv_id: identifier, name: text, section_id: text })),
});
export type WireLinkedCvs = z.infer<typeof WireLinkedCvs>;

export function createConsultantsWriter(send: Writes) {
  return {
    /**
     * Adds a project to any number of CVs (spec, Project linking). The service does not check for duplicates, so a
     * repeated call adds the project twice. No call removes the link. The new experience is disabled and comes first.
     */
    link: ({ customerId, projectId }: ProjectKey, link: ConsultantLink, signal?: AbortSignal): Writing<WireLinkedCvs> =>
      send.record('linkConsultants', WireLinkedCvs, { path: [customerId, projectId], body: { ...link }, signal }),
  };
}
