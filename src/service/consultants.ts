import * as z from 'zod';
import type { Writes, Writing } from './answer.js';
import type { ProjectKey } from './record-keys.js';
import type { PlainBody } from './wire-plain.js';
import { identifier, text } from './wire-values.js';

export interface ConsultantLink extends Pick<PlainBody<'staffing'>, 'include_dates'> {
  /** Their master CVs get a new project experience each. One that is unknown refuses all (404). */
  readonly user_ids: readonly string[];
  /** True: a hard link, whose values are read from the project; else a copy. */
  readonly link_to_project?: boolean;
  readonly notify_by_email?: boolean;
  /** Names the new experience in the answer. */
  readonly include_section_ids?: boolean;
  /** Ignored on a hard link, as the next. */
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
     * Puts a project on CVs, any number at once (spec, Project linking). There is no check for doubles: done twice, it is
     * there twice, and no call takes the link off again. The new experience is disabled and comes first.
     */
    link: ({ customerId, projectId }: ProjectKey, link: ConsultantLink, signal?: AbortSignal): Writing<WireLinkedCvs> =>
      send.record('linkConsultants', WireLinkedCvs, { path: [customerId, projectId], body: { ...link }, signal }),
  };
}
