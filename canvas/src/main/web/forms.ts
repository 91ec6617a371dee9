import { html, nothing, type TemplateResult } from 'lit';
import { call, says } from './api';
import { forget, type Reading } from './readings';
import { store } from './store';
import { toast } from './view';
import { clip } from './words';

/** What the forms of an agent's settings have in common: one change at a time, and rows. */

const SHOWN = 50;
let busy = false;

export const isChanging = (): boolean => busy;

/** One change: what it makes stale is read anew, a refusal is said, nothing typed is lost. */
export async function change(path: string, what: () => Promise<unknown>, done: string, form?: HTMLFormElement): Promise<void> {
  if (busy || store.past) return;
  busy = true;
  store.changed();
  try {
    await what();
    form?.reset();
    toast(done);
  } catch (failure) {
    toast(says(failure));
  }
  busy = false;
  forget(path);
  forget(path.replace(/^(\/workspaces\/[^/]+).*/, '$1/versions'));
}

/** Of a change that holds from its agent's next start: for who presses the second, that is now. */
export const saveButtons = (words = 'Save'): TemplateResult => html`<span class="buttons"><button>${words}</button><button class="now" name="now">${words} and restart</button></span>`;

/** The same change, and a restart behind it where that was pressed. */
export async function changeOf(event: Event, agent: { id: string; name: string }, path: string, what: () => Promise<unknown>, done: string, form?: HTMLFormElement): Promise<void> {
  const now = ((event as SubmitEvent).submitter as HTMLButtonElement | null)?.name === 'now';
  const both = async (): Promise<void> => {
    await what();
    await call('POST', `/workspaces/${agent.id}/restart`, {});
  };
  await change(path, now ? both : what, now ? `Saved. ${clip(agent.name, 60)} restarts with it.` : done, form);
}

export function submitted(event: Event): { form: HTMLFormElement; field: (name: string) => string } {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  const fields = new FormData(form);
  return { form, field: (name) => String(fields.get(name) ?? '').trim() };
}

/** Rows, or why there are none. */
export function rows<T>(reading: Reading<T[]>, none: string, draw: (row: T) => TemplateResult): TemplateResult {
  if (reading.value === null) return html`<p class="none">${reading.note}</p>`;
  if (!Array.isArray(reading.value) || !reading.value.length) return none ? html`<p class="none">${none}</p>` : html``;
  return html`<ul class="rows">${reading.value.slice(0, SHOWN).map(draw)}</ul>${reading.value.length > SHOWN ? html`<p class="none">and ${reading.value.length - SHOWN} more</p>` : nothing}`;
}
