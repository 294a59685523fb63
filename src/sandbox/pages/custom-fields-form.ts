import type { World } from '../account/world.js';
import type { Body } from '../fields/values.js';
import { PARTS_OF_TYPE } from '../records/custom-fields.js';
import type { ProjectDocument } from '../store/project-documents.js';
import { type FormField, type RecordForm, readChanges } from './form-fields.js';
import { nameField, nameOf } from './words.js';

/** Builds one form for all custom fields. Each part of a value is a field of the form: `volume.amount` and `volume.unit`. */
export function customFieldsForm({ customFields, account }: World, project: ProjectDocument): RecordForm {
  const record: Record<string, unknown> = {};
  const fields = customFields.flatMap((field): readonly FormField[] => {
    const label = nameOf(field.field_label, account.languages);
    const title = label === '(no name)' ? field.field_name : label;
    const parts = Object.keys(PARTS_OF_TYPE[field.field_type]);
    return parts.map((part) => {
      const name = `${field.field_name}.${part}`;
      record[name] = project.custom_fields[field.field_name]?.[part] ?? '';
      const own = { name, label: parts.length === 1 ? title : `${title}: ${nameField(part).toLowerCase()}` };
      const options = field.options.map(({ external_unique_id, name: texts }) => ({
        value: external_unique_id,
        text: nameOf(texts, account.languages),
      }));
      if (field.field_type === 'single_select')
        return { ...own, is: 'choice', options: [{ value: '', text: '–' }, ...options] };
      return { ...own, is: 'line' };
    });
  });
  return { action: 'save_custom', button: 'Save', fields, record };
}

/** Reads the changed parts of the custom fields, as in the body of an update. */
export function readCustomFields(world: World, project: ProjectDocument, form: URLSearchParams): readonly Body[] {
  const changes = readChanges(customFieldsForm(world, project), form);
  return world.customFields.flatMap(({ field_name: name }) => {
    const parts = Object.entries(changes)
      .filter(([key]) => key.startsWith(`${name}.`))
      .map(([key, text]) => [key.slice(name.length + 1), text === '' ? null : text]);
    return parts.length === 0 ? [] : [{ name, ...Object.fromEntries(parts) }];
  });
}
