import { isJsonObject } from '../../model/json.js';
import type { World } from '../account/world.js';
import { refuse } from '../fields/refusal.js';
import { readTexts } from '../fields/values.js';
import { listKeptParts, readPicture } from '../pictures/read-picture.js';
import type { CvDocument } from '../store/cv-documents.js';
import type { ImageDocument, UserDocument } from '../store/documents.js';
import type { ProjectDocument } from '../store/project-documents.js';
import { createId } from '../store/store.js';
import { createFileWriter, removeFile } from '../store/stored-files.js';

/** Decodes a picture from base64, with or without the prefix of a data URL. */
export function decodePicture(base64: string): Buffer {
  return Buffer.from(base64.replace(/^data:[^,]*,/, ''), 'base64');
}

/** Stores a picture that is encoded in base64. Returns the id of its file. */
export function keepPicture(world: World, base64: string): string {
  return keepPictureBytes(world, decodePicture(base64));
}

/** Stores a picture without its metadata. @throws Refusal for a file that is not a picture that documents can show */
export function keepPictureBytes(world: World, bytes: Buffer): string {
  const picture = readPicture(bytes);
  const content_type = picture.type === 'png' ? 'image/png' : 'image/jpeg';
  const id = createId();
  const writer = createFileWriter(world.store, { id, file_name: `${id}.${picture.type}`, content_type });
  for (const part of listKeptParts(picture)) writer.write(part);
  writer.finish();
  return id;
}

/** Stores pictures of a fixture: `{ image, caption }`. */
export function keepImages(world: World, images: unknown): readonly ImageDocument[] {
  if (!Array.isArray(images) || !images.every((one) => isJsonObject(one)))
    return refuse(422, 'images must be a list of objects');
  return images.map((body) => {
    if (typeof body.image !== 'string') return refuse(422, 'an image needs its picture in base64');
    return {
      id: createId(),
      image_id: keepPicture(world, body.image),
      caption: readTexts(body, 'caption', 'iso') ?? {},
    };
  });
}

export function removeProjectFiles(world: World, { attachments, images }: ProjectDocument): void {
  const pictures = Object.values(images ?? {}).flatMap((list) => list.map(({ image_id }) => image_id));
  for (const id of [...attachments.map(({ id }) => id), ...pictures]) removeFile(world.store, id);
}

/** Deletes the files of a user and of their master CV. Tailored CVs have no copies of pictures. */
export function removeUserFiles(world: World, { image_id }: UserDocument, cv: CvDocument | undefined): void {
  const images = (cv?.sections.project_experiences ?? []).flatMap((section) => section.images ?? []);
  for (const id of [image_id, ...images.map((image) => image.image_id)]) if (id) removeFile(world.store, id);
}
