import { call, says } from './api';
import type { Agent } from './model';
import { moveAt } from './moves';
import { organisationName } from './names';
import { placesFor } from './organisation';
import { forget } from './readings';
import { store } from './store';
import { clip } from './words';
import { toast } from './view';

/** What a person does to agents. The stream tells what came of it; only places are drawn before the platform answered. */

const PLACES_MAX = 200;

async function tell(what: () => Promise<unknown>, done: string, undo: (() => void) | null = null): Promise<boolean> {
  if (store.past) {
    toast('You are looking at the past. Go to Live first.');
    return false;
  }
  try {
    await what();
    if (done) toast(done, undo);
    return true;
  } catch (failure) {
    toast(says(failure));
    return false;
  }
}

const named = (agent: Agent): string => clip(agent.name, 60);

export const pause = (agent: Agent) => tell(() => call('POST', `/workspaces/${agent.id}/pause`), `${named(agent)} is paused.`);
export const resume = (agent: Agent) => tell(() => call('POST', `/workspaces/${agent.id}/resume`), `${named(agent)} is starting.`);
export const restart = (agent: Agent) => tell(() => call('POST', `/workspaces/${agent.id}/restart`, {}), `${named(agent)} is restarting.`);
export const remove = (agent: Agent) => tell(() => call('DELETE', `/workspaces/${agent.id}?confirm=true`), `${named(agent)} was deleted.`);
export const cutOff = (agent: Agent, branch: boolean) => tell(() => call('POST', `/workspaces/${agent.id}/quarantine`, { branch }), `${named(agent)} was quarantined.`);
export const release = (agent: Agent) => tell(() => call('DELETE', `/workspaces/${agent.id}/quarantine`), `${named(agent)} was released. It is still paused.`);
export const wake = (agent: Agent) => tell(() => call('POST', `/workspaces/${agent.id}/wake`), `${named(agent)} is waking.`);
export const putToSleep = (agent: Agent) => tell(() => call('POST', `/workspaces/${agent.id}/hibernate`), `${named(agent)} sleeps.`);
export const bringIn = (dir: string) => tell(async () => calledSo((await call<Imported>('POST', '/org/import', { dir }, 120_000))), '');

export interface Imported {
  org?: string;
  count?: number;
  error?: string;
  workspaces: { id: string }[];
}

/** The first organisation that comes is called as its file calls it; whoever names it otherwise is right. */
export async function calledSo(made: Imported): Promise<void> {
  const [first] = made.workspaces ?? [];
  if (!first || !made.org || store.live.agents.size > made.workspaces.length || organisationName()) return;
  await call('PATCH', `/workspaces/${first.id}/config`, { organisation_name: made.org }).catch(() => {}); // then it has none
  forget(`/workspaces/${first.id}/config`);
}

export async function move(agent: Agent, parent: string | null): Promise<boolean> {
  const before = agent.parent_id;
  const where = parent ? `to ${clip(store.org.agents.get(parent)?.name ?? 'another team', 60)}` : 'to the top level';
  const go = (to: string | null) => call('POST', moveAt(agent.id), { parent_id: to });
  return tell(() => go(parent), `${named(agent)} moved ${where}.`, () => void tell(() => go(before), `${named(agent)} is back.`));
}

/** Ends what it runs in and starts it anew, as a crash would: to see that it goes on where it was. */
export const pullPlug = (agent: Agent) => tell(() => call('POST', `/workspaces/${agent.id}/restart`, {}), `You killed ${named(agent)}. Watch it restart and go on.`);

/** Draws siblings in this order, and keeps it for everybody. */
export async function place(siblings: Agent[]): Promise<void> {
  const parent = store.org.agents.get(siblings[0]?.parent_id ?? '');
  const places = placesFor(siblings, { x: parent?.x ?? 0, y: parent?.y ?? 0 }).slice(0, PLACES_MAX);
  for (const { id, x, y } of places) Object.assign(store.org.agents.get(id) ?? {}, { x, y });
  store.org.shape++;
  store.changed();
  await tell(async () => {
    for (const { id, x, y } of places) await call('PATCH', `/workspaces/${id}`, { x, y });
  }, '');
}

export function fold(agent: Agent, collapsed: boolean): void {
  agent.collapsed = collapsed;
  void tell(() => call('PATCH', `/workspaces/${agent.id}`, { collapsed }), '');
}
