import { call } from './api';
import { forget, read } from './readings';
import { mayAct } from './rights';
import { store } from './store';
import { clip } from './words';

/** What the organisation is called, for everybody, and what the person here is called, in this browser: nobody checks it, credentials do that. */

const KEPT = 'molecule.person';
export const NAME_MAX = 60;

/** It stands with what is kept of whoever leads; of several the oldest. */
function keeper(): string | undefined {
  let oldest: { id: string; order: number } | undefined;
  for (const agent of store.live.agents.values()) if (!agent.parent_id && (!oldest || agent.order < oldest.order)) oldest = agent;
  return oldest?.id;
}

const pathOf = (id: string): string => `/workspaces/${id}/config`;

/** Empty where nobody named it. */
export function organisationName(): string {
  const id = store.connection.kind === 'live' ? keeper() : undefined;
  const named = id && read<{ data?: { organisation_name?: unknown } }>(pathOf(id)).value?.data?.organisation_name;
  return typeof named === 'string' ? clip(named, NAME_MAX) : '';
}

/** Whether there is anything to name, and for whoever looks. */
export function mayName(): boolean {
  const id = keeper();
  return id !== undefined && mayAct(id);
}

export async function nameOrganisation(name: string): Promise<void> {
  const id = keeper();
  if (!id || name === organisationName()) return;
  await call('PATCH', pathOf(id), { organisation_name: name });
  forget(pathOf(id));
}

/** Empty where nobody said it. */
export function person(): string {
  try {
    return clip(localStorage.getItem(KEPT) ?? '', NAME_MAX);
  } catch {
    return ''; // a browser that keeps nothing
  }
}

export function namePerson(name: string): void {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // as above
  }
  store.changed();
}
