/** The request formats in which vendors signal a change. The daemon's table has a row for each. */
export const HOOK_FORMS = ['generic', 'hubspot', 'hibob', 'bamboohr', 'graph', 'google', 'personio'] as const;
export type HookForm = (typeof HOOK_FORMS)[number];

/** Returns the form that the vendor of a preset uses: the form with the preset's name, or Microsoft Graph for Entra ID. */
export function hookFormOf(preset: string | null): HookForm {
  if (preset === 'entra') return 'graph';
  return HOOK_FORMS.find((form) => form === preset) ?? 'generic';
}
