import type { World } from '../account/world.js';
import { indexLinks, touchCv } from '../records/cvs.js';
import { removeProjectFiles } from '../records/pictures.js';
import type { CvDocument, SectionDocument } from '../store/cv-documents.js';
import type { ProjectDocument } from '../store/project-documents.js';

/**
 * Merges projects, which people can do on the service's own pages but no call can. Hard links move to the surviving project;
 * copies lose their origin (spec, Project linking 8).
 */
export function mergeProjects(world: World, gone: ProjectDocument, surviving: ProjectDocument): void {
  const origin = { isLinked: true, project_id: surviving.id, customer_id: surviving.company_customer_id };
  for (const cv of world.store.cvs.find('WHERE instr(body, ?) > 0', [`"${gone.id}"`])) {
    const experiences = (cv.sections.project_experiences ?? []).map((section): SectionDocument => {
      if (section.origin?.project_id !== gone.id) return section;
      if (section.origin.isLinked) return { ...section, origin };
      const { origin: _, ...copy } = section;
      return copy;
    });
    const merged: CvDocument = { ...cv, sections: { ...cv.sections, project_experiences: experiences } };
    indexLinks(world, touchCv(world, merged));
  }
  removeProjectFiles(world, gone);
  world.store.projects.delete(gone.id);
}
